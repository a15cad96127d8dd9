// The processes that the benchmark starts: Node-RED on its own Node.js, and the server.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { programs, root } from '../scripts/install.mjs';

/** Ten times the usual duration, for a busy machine. */
const TOO_LONG = 60_000;

/**
 * Starts a Node-RED, with options for its Node.js and with environment variables; `milliseconds` is from its start until
 * it serves the editor, at `url`, and the flows run. `log` has the lines of its log so far.
 */
export async function startNodeRed(runtime, userDir, options = [], environment = {}) {
  const { node, nodeRed } = programs(runtime);
  const settings = path.join(root, 'test', 'support', 'node-red-settings.js');
  const began = performance.now();
  const child = spawn(node, [...options, nodeRed, '-u', userDir, '-s', settings, '-p', '0'], {
    cwd: userDir,
    env: { ...process.env, ...environment },
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
  return { ...talk(child), url, log, milliseconds: performance.now() - began };
}

/** Starts one of the servers with command-line arguments. */
export async function startServer(file, words = []) {
  const child = fork(path.join(root, 'bench', file), words);
  const { port } = await answerOf(child);
  return { ...talk(child), url: `http://127.0.0.1:${port}` };
}

/** Returns milliseconds by a clock that all processes of the machine share. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

function talk(child) {
  return {
    pid: child.pid,
    ask: (question) => {
      const answer = answerOf(child);
      child.send(question);
      return answer;
    },
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

async function answerOf(child) {
  const [answer] = await within(once(child, 'message'), child);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** Kills a process that takes too long, and its child. */
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
