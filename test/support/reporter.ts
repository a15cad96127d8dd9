import Mocha from 'mocha';
import { waitedInVain } from './waiting';

/** Mocha's usual report, plus the conditions that a timed-out test was waiting for. */
export = class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('fail', (_test: Mocha.Runnable, error: Error) => {
      error.stack = `${error.stack ?? error.message}\n${waitedInVain()}`.trim();
    });
  }
};
