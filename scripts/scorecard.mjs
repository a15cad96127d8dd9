// Runs node-red-dev, the validator of the public library, on the packed package, without any requests (test/installed/scorecard/preload.mjs).
// Only the workflows run it: its packages take longer than its checks, and few changes can break them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, install, installed, installRuntimes, npm, root, runtimeNames } from './install.mjs';

/**
 * node-red-dev itself disables P02. D03 requires the newest release of each dependency; this skips it, because the result
 * would change from day to day, and already fails (undici 8 does not load on Node.js 20, graphql 17 requires 22).
 */
const CHECKS = ['P01', 'P03', 'P04', 'P05', 'P06', 'P07', 'P08', 'N01', 'N02', 'D01', 'D02'];
const tool = path.join(installed, 'scorecard');

await install(root);
const installing = Promise.all([install(tool), installRuntimes(...runtimeNames)]);
build();
await installing;

const folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-scorecard-'));
try {
  const { failed, output } = validate(unpack());
  if (failed.length > 0) {
    console.error(output.trim());
    console.error(`Not as it should be: ${failed.join(', ')}`);
    process.exitCode = 1;
  } else {
    console.log(`${CHECKS.length} checks of node-red-dev pass`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The packed package. */
function unpack() {
  const options = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(npm(options, root, 'pipe'));
  // Relative paths, because tar on Windows reads the part before a colon as a host.
  const { status } = spawnSync('tar', ['-xzf', filename], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error('The package cannot be unpacked');
  return path.join(folder, 'package');
}

function validate(unpacked) {
  const scores = path.join(folder, 'scores.json');
  const preload = pathToFileURL(path.join(tool, 'preload.mjs')).href;
  const program = path.join(tool, 'node_modules', 'node-red-dev', 'bin', 'run');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', preload, program, 'validate', '--output', scores],
    {
      cwd: unpacked,
      // Ignores warnings of Node.js about the old packages of node-red-dev.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  const scored = existsSync(scores) ? JSON.parse(readFileSync(scores, 'utf8')) : {};
  const failed = CHECKS.filter((check) => scored[check]?.test !== true);
  if (status !== 0) failed.push('its end');
  // Some checks warn but pass.
  if (stderr !== '') failed.push('warnings');
  // It skips a dialog that it cannot read, and the checks of its nodes.
  if (stdout.includes('Unable to')) failed.push('unreadable files');
  return { failed, output: stdout + stderr };
}
