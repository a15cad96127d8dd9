// Sends bursts of messages with a path each to a node, and measures the processor time, the longest stall of the event loop
// and the ends of the messages. Commands come over the channel between the processes; the records survive a deploy.
const { setImmediate, setInterval } = require('node:timers');

/** The measured nodes. */
const NODES = ['scan', 'wait', 'core', 'files'];

/** Milliseconds by a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

module.exports = (RED) => {
  let driver;
  /** By message: its burst, the job that it returned with, and its ends. */
  const messages = [];
  let stalls = { last: now(), longest: 0 };
  let started = process.cpuUsage();
  let ended = 0;
  let deploys = 0;

  RED.events.on('flows:started', () => {
    deploys += 1;
  });

  RED.nodes.registerType('bench-scan-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    driver = this;
    this.on('input', ({ number, payload, stash }, _send, done) => {
      const message = messages[number];
      message.job = payload?.id ?? null;
      message.collected = stash?.collected?.messages;
      message.sent += 1;
      done();
    });
  });

  RED.hooks.add('onComplete.bench', ({ msg, error, node }) => {
    if (!NODES.includes(node.id)) return;
    const message = messages[msg.number];
    if (message.ends.length === 0) ended += 1;
    message.ends.push(error ? (msg.stash?.error?.code ?? error.message) : 'done');
    message.at = now();
  });

  // The longest time between two turns of the event loop.
  setInterval(() => {
    const at = now();
    stalls.longest = Math.max(stalls.longest, at - stalls.last);
    stalls.last = at;
  }, 2);

  const orders = {
    /** Sends a burst in groups of ten, so that Node-RED itself does not stall. */
    send: ({ count, folders, below, to }) => {
      let number = 0;
      const sendSome = () => {
        for (let some = 0; some < 10 && number < count; some += 1, number += 1) {
          const payload = `${below}/${number % folders}/${number}.mp4`;
          const index = messages.push({ sent: 0, ends: [] }) - 1;
          const msg = { number: index, payload };
          driver.send(NODES.map((node) => (node === to ? msg : null)));
        }
        if (number < count) setImmediate(sendSome);
      };
      stalls = { last: now(), longest: 0 };
      deploys = 0;
      started = process.cpuUsage();
      sendSome();
    },
    count: () => ({
      ended,
      deployed: deploys,
    }),
    cost: () => {
      const { user, system } = process.cpuUsage(started);
      return { cpu: (user + system) / 1000, stall: stalls.longest };
    },
    /** Counts the processor time from now on. */
    watch: () => {
      started = process.cpuUsage();
    },
    tell: () => ({ messages }),
    memory: () => {
      messages.length = 0;
      ended = 0;
      globalThis.gc();
      const { heapUsed, rss } = process.memoryUsage();
      return { heapUsed, rss };
    },
  };
  process.on('message', ({ order, ...details }) => process.send(orders[order](details) ?? {}));
};
