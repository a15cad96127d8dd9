// Part of `npm run check`: what the public library's own validator, node-red-dev, says of the packed package. Nothing
// of it leaves the machine (test/scorecard/preload.mjs), so it needs neither the library nor a registry.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, install, installRuntimes, npm, root, runtimeNames } from './install.mjs';

/**
 * P02 is switched off in node-red-dev itself. D03, whether each dependency is the newest there is, is not asked: it
 * would answer differently from day to day, and no today already (undici 8 does not load on Node.js 20, graphql 17
 * wants 22).
 */
const CHECKS = ['P01', 'P03', 'P04', 'P05', 'P06', 'P07', 'P08', 'N01', 'N02', 'D01', 'D02'];
const tool = path.join(root, 'test', 'scorecard');

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

/** The package as people get it. */
function unpack() {
  const options = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(npm(options, root, 'pipe'));
  // With paths from here, as the tar of Windows takes what is before a colon for the name of a machine.
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
      // Warnings of Node.js about the old packages that it uses are none about this one.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  const scored = existsSync(scores) ? JSON.parse(readFileSync(scores, 'utf8')) : {};
  const failed = CHECKS.filter((check) => scored[check]?.test !== true);
  if (status !== 0) failed.push('its end');
  // Some checks warn, and pass all the same.
  if (stderr !== '') failed.push('warnings');
  // It passes over a dialog that it cannot read, and so do the checks of its nodes.
  if (stdout.includes('Unable to')) failed.push('unreadable files');
  return { failed, output: stdout + stderr };
}
