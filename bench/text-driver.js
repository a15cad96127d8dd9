// A node of the benchmark's own: sends messages to one of the nodes, and notes how they ended, how long Node-RED did nothing
// else meanwhile and how its memory grew. It is told what to do over the channel between the processes.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { clearInterval, setInterval } = require('node:timers');
const { setTimeout: sleep } = require('node:timers/promises');

/** Milliseconds; what has kept a timer waiting is known when it runs at last. */
const SETTLE = 50;

module.exports = (RED) => {
  /** What each message ended with, and how many have not ended. */
  let ends = {};
  let left = 0;

  RED.nodes.registerType('bench-text-driver', function (definition) {
    RED.nodes.createNode(this, definition);
  });
  RED.hooks.add('onComplete.bench', ({ msg, error }) => {
    if (!msg.isOfBench) return;
    const end = error ? (msg.stash?.error?.code ?? String(error)) : 'done';
    ends[end] = (ends[end] ?? 0) + 1;
    left -= 1;
  });

  const send = ({ to, msg = {}, count = 1 }) => {
    left += count;
    const node = RED.nodes.getNode(to);
    for (let index = 0; index < count; index += 1) node.receive({ ...msg, isOfBench: true });
  };

  /** Sends messages and waits for their ends, or without any only for some milliseconds. */
  async function watch({ milliseconds = 0, ...messages }) {
    globalThis.gc();
    ends = {};
    const before = process.memoryUsage.rss();
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 10);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const start = performance.now();
    const others = left;
    if (messages.to) send(messages);
    while (left > others) await sleep(1);
    const took = performance.now() - start;
    await sleep(SETTLE + milliseconds);
    delay.disable();
    clearInterval(sampling);
    return {
      ends,
      milliseconds: took,
      stall: delay.max / 1e6,
      grown: Math.max(most, process.memoryUsage.rss()) - before,
    };
  }

  const orders = {
    send,
    watch,
    count: () => ({ left }),
  };
  process.on('message', ({ order, ...details }) => {
    Promise.resolve(orders[order](details)).then(
      (answer) => process.send(answer ?? {}),
      (error) => process.send({ error: error.message }),
    );
  });
};
