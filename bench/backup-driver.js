// A node of the benchmark's own: sends a message through one of its outputs, and notes when it came back and for how long
// Node-RED did nothing else meanwhile. It is told what to do over the channel between the processes.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');

/** The nodes at the outputs. */
const nodes = ['backup', 'replace', 'core'];
/** Milliseconds; what has kept a timer waiting is known when it runs at last. */
const SETTLE = 20;

/** Milliseconds by a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

module.exports = (RED) => {
  let driver;
  let receive;
  let over;

  RED.nodes.registerType('bench-backup-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    driver = this;
    this.on('input', (msg, _send, done) => {
      if (msg.error || msg.payload?.percent === undefined) receive(msg);
      done();
    });
  });

  /** Resolves when the message has ended, with its result, or rejects with its error. */
  async function send(node, message) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const returned = new Promise((resolve) => {
      receive = resolve;
    });
    const sentAt = now();
    delay.enable();
    driver.send(nodes.map((name) => (name === node ? message : null)));
    const { error, payload } = await returned;
    const endedAt = now();
    if (error) throw new Error(`${node}: ${error.message}`);
    await sleep(SETTLE);
    delay.disable();
    return { sentAt, endedAt, stall: delay.max / 1e6, sha256: payload.sha256, checked: payload.checked };
  }

  const orders = {
    send: ({ node, message }) => {
      over = send(node, message);
      // Whoever waits for the end gets to know of the error.
      over.catch(() => undefined);
    },
    over: () => over,
    collect: () => globalThis.gc(),
  };
  process.on('message', ({ order, ...details }) => {
    Promise.resolve(orders[order](details)).then(
      (answer) => process.send(answer ?? {}),
      (error) => process.send({ error: error.message }),
    );
  });
};
