import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Mocha's usual report, and the counts of the run in a file, so that `npm test` can sum all its runs up. */
export = class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.once('end', () => {
      const file = process.env['STASH_TEST_COUNTS'];
      const { passes, failures, pending } = this.stats;
      if (file) writeFileSync(file, JSON.stringify({ passes, failures, pending }));
    });
  }
};
