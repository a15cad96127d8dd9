import { events } from './events';
import { files } from './files';
import { flowFiles } from './flow-files';
import { type Kind, tryFixed, tryFor } from './kind';
import { messages } from './messages';
import { unknownReleases } from './releases';
import { responses } from './responses';
import { shortenTimes } from './times';

/** The minutes for all kinds together, as `npm run fuzz` sets them. Without them, a few cases of a fixed seed are tried. */
const { STASH_FUZZ_MINUTES: minutes } = process.env;

const KINDS = 6;

describe('nodes end each message once, with a code and without secrets, whatever comes:', () => {
  shortenTimes();

  check(responses, 5);
  check(events, 6);
  check(files, 15);
  check(flowFiles, 5);
  check(messages, 10);
  check(unknownReleases, 5);

  function check<Case>(kind: Kind<Case>, few: number): void {
    const test = it(kind.name, async () => {
      if (minutes === undefined) {
        await tryFixed(kind, few);
        return;
      }
      const { cases, findings } = await tryFor(kind, Number(minutes) / KINDS);
      console.log(`      ${cases} cases of ${kind.name}, ${findings.length} findings`);
      if (findings.length > 0) throw new Error(findings.join('\n\n'));
    });
    // It ends by itself.
    if (minutes !== undefined) test.timeout(0);
  }
});
