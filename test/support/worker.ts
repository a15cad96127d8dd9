import { readFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import { root } from './root';
import './strict';
import { waitedInVain } from './waiting';

/** The results of one test file. */
interface Report {
  /** The title of each passed test, and its duration in milliseconds. */
  passed: [title: string, milliseconds: number][];
  skipped: string[];
  /** The title of each failed test or hook, and its error. */
  failed: string[];
}

/** The time in which a worker must end after its last file. */
const END_MILLISECONDS = 20_000;

const { timeout } = JSON.parse(readFileSync(path.join(root, '.mocharc.json'), 'utf8')) as { timeout: number };

// A process of `npm test`. Each message contains the name of a test file to run.
process.on('message', (file: string) => {
  void run(file).then((report) => {
    if (process.connected) process.send?.(report);
  });
});

// Anything that a test leaves behind would also keep Node-RED from ending.
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
    // Nobody would notice the tests that an `only` excludes.
    forbidOnly: true,
    forbidPending: 'CI' in process.env,
    failZero: true,
  };
  const mocha = new Mocha(options).addFile(path.join(root, file));
  try {
    const failures = await new Promise<number>((resolve) => mocha.run(resolve));
    // Removes mocha's listeners for uncaught errors.
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
