import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * Mocha's usual report, and what `npm test` needs to sum all its runs up: the counts of this one, and its failures,
 * which would otherwise stand far above the end of a long log.
 */
export = class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const failed: string[] = [];
    runner.on('fail', (test: Mocha.Runnable, error: Error) => {
      failed.push(`${test.titlePath().join(' › ')}\n${error.stack ?? error.message}`);
    });
    runner.once('end', () => {
      const file = process.env['STASH_TEST_COUNTS'];
      const { passes, failures, pending } = this.stats;
      if (file) writeFileSync(file, JSON.stringify({ passes, failures, pending, failed }));
    });
  }
};
