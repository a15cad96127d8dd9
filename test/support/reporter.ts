import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { waitedInVain } from './waiting';

/**
 * Mocha's usual report, and what `npm test` needs to sum all its runs up: the counts of this one, and its failures,
 * which would otherwise stand far above the end of a long log.
 */
export = class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const failed: string[] = [];
    runner.on('fail', (test: Mocha.Runnable, error: Error) => {
      const lines = [test.titlePath().join(' › '), error.stack ?? error.message, waitedInVain()];
      failed.push(lines.join('\n').trim());
    });
    runner.once('end', () => {
      const file = process.env['STASH_TEST_COUNTS'];
      const { passes, failures, pending } = this.stats;
      if (file) writeFileSync(file, JSON.stringify({ passes, failures, pending, failed }));
    });
  }
};
