// Loaded into a Node-RED before all else: what it flushes, renames and removes in the folder BENCH_FOLDER waits for
// BENCH_PAUSE milliseconds before and after, so that random moments find it there, too. The step that is under way stands
// in the file BENCH_STEP.
const { existsSync, promises, writeFileSync } = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { BENCH_FOLDER: folder, BENCH_STEP: step, BENCH_PAUSE: pause } = process.env;

const { open } = promises;
promises.open = async (file, ...others) => {
  const handle = await open(file, ...others);
  const { sync } = handle;
  handle.sync = () => slowly('flush', file, () => sync.call(handle));
  return handle;
};
for (const [name, words] of Object.entries({
  rename: 'rename',
  link: 'rename',
  unlink: 'removal',
  rm: 'removal',
})) {
  const real = promises[name];
  promises[name] = (file, ...others) => slowly(words, file, () => real(file, ...others));
}

async function slowly(words, file, real) {
  const place = path.resolve(file);
  if (!place.startsWith(folder) || !existsSync(place)) return real();
  writeFileSync(step, `${words} of ${whatIs(place)}`);
  await sleep(Number(pause));
  try {
    return await real();
  } finally {
    await sleep(Number(pause));
    writeFileSync(step, '');
  }
}

function whatIs(place) {
  if (place === folder) return 'the folder';
  if (!place.endsWith('.partial')) return 'an earlier backup';
  return path.basename(place).startsWith('.stash-backups-') ? 'the list of backups' : 'the partial file';
}
