import { readFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import { root } from './root';
import './strict';
import { waitedInVain } from './waiting';

/** What became of the tests of one file. */
interface Report {
  /** The title of each passed test, and its milliseconds. */
  passed: [title: string, milliseconds: number][];
  skipped: string[];
  /** The title of each test or hook that failed, and its error. */
  failed: string[];
}

/** How long a worker without a file may take to end. */
const END_MILLISECONDS = 20_000;

const { timeout } = JSON.parse(readFileSync(path.join(root, '.mocharc.json'), 'utf8')) as { timeout: number };

// One of the processes of `npm test`. Each message names a test file to run.
process.on('message', (file: string) => {
  void run(file).then((report) => {
    if (process.connected) process.send?.(report);
  });
});

// What a test leaves behind would keep Node-RED from ending, too.
process.once('disconnect', () => {
  setTimeout(() => {
    console.error('Something keeps this process from ending:', process.getActiveResourcesInfo());
    process.exit(1);
  }, END_MILLISECONDS).unref();
});

async function run(file: string): Promise<Report> {
  const report: Report = { passed: [], skipped: [], failed: [] };
  const { passed, skipped, failed } = report;
  class Collector extends Mocha.reporters.Base {
    constructor(runner: Mocha.Runner) {
      super(runner);
      runner.on('pass', (test) => passed.push([titleOf(test), test.duration ?? 0]));
      runner.on('pending', (test) => skipped.push(titleOf(test)));
      runner.on('fail', (test: Mocha.Runnable, error: Error) => {
        failed.push([titleOf(test), error.stack ?? error.message, waitedInVain()].join('\n').trim());
      });
    }
  }
  const options = {
    timeout,
    reporter: Collector,
    // Among all tests, those that an `only` leaves out would go unnoticed.
    forbidOnly: true,
    forbidPending: 'CI' in process.env,
    failZero: true,
  };
  const mocha = new Mocha(options).addFile(path.join(root, file));
  try {
    const failures = await new Promise<number>((resolve) => mocha.run(resolve));
    // It listens to the process for what nobody catches.
    mocha.dispose();
    if (failures > failed.length) failed.push(`${file} has no test`);
  } catch (error) {
    failed.push(`${file} cannot be loaded\n${error instanceof Error ? (error.stack ?? '') : String(error)}`);
  }
  return report;
}

function titleOf(test: Mocha.Runnable): string {
  return test.titlePath().join(' › ');
}
