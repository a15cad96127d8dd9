// The processes that the benchmark starts: Node-RED on its own Node.js, and the server that is asked.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { programs, root } from '../scripts/install.mjs';

/** Long enough for a busy machine; nothing here takes a tenth of it. */
const TOO_LONG = 60_000;

/**
 * Starts a Node-RED, with options for its Node.js; `milliseconds` is from its start until it serves the editor, at
 * `url`, and the flows run.
 */
export async function startNodeRed(runtime, userDir, options = []) {
  const { node, nodeRed } = programs(runtime);
  const settings = path.join(root, 'test', 'node-red-settings.js');
  const began = performance.now();
  const child = spawn(node, [...options, nodeRed, '-u', userDir, '-s', settings, '-p', '0'], {
    cwd: userDir,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const log = [];
  let url = '';
  const awaited = new Set(['Server now running', 'Started flows']);
  await within(
    new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        log.push(line);
        url ||= /Server now running at (\S+?)\/?$/.exec(line)?.[1] ?? '';
        for (const text of awaited) if (line.includes(text)) awaited.delete(text);
        if (awaited.size === 0) resolve();
      });
      child.once('error', reject).once('exit', () => reject(new Error(`It ended:\n${log.join('\n')}`)));
    }),
    child,
  );
  return { ...talk(child), url, milliseconds: performance.now() - began };
}

/** Starts one of the servers that the nodes ask. */
export async function startServer(file) {
  const child = fork(path.join(root, 'bench', file));
  const { port } = await answerOf(child);
  return { ...talk(child), url: `http://127.0.0.1:${port}` };
}

function talk(child) {
  return {
    ask: (question) => {
      const answer = answerOf(child);
      child.send(question);
      return answer;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function answerOf(child) {
  const [answer] = await within(once(child, 'message'), child);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** Nothing may hang: what takes too long is killed, and its child with it. */
function within(promise, child) {
  let timer;
  const tooLong = new Promise((_, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`No answer within ${TOO_LONG / 1000} s`));
    }, TOO_LONG);
  });
  return Promise.race([promise, tooLong]).finally(() => clearTimeout(timer));
}
