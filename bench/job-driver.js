// A node of the benchmark's own: sends messages to a node that waits for a job with each, and notes how and when each
// message ended and which connections were tried. It is told what to do over the channel between the processes, and what
// it has noted outlives a deploy.
const { subscribe } = require('node:diagnostics_channel');
const { errorMonitor } = require('node:events');

/** The node at the output. */
const NODE = 'scan';

/** Milliseconds by a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

module.exports = (RED) => {
  let driver;
  /**
   * In the order in which they were sent: to which batch a message belongs, the states of the jobs that it came back
   * with, how often and how it ended, when, and for which job.
   */
  const messages = [];
  /** When flows began and ended to stop, and when they ran. */
  const deploys = [];
  /** Connections since somebody began to count them: how many were tried, and how many of them at once. */
  let connections = { tried: 0, most: 0 };
  let trying = 0;

  RED.nodes.registerType('bench-job-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    driver = this;
    this.on('input', ({ number, payload }, _send, done) => {
      const message = messages[number];
      message.answers.push(payload.status);
      message.job = { id: payload.id, added: payload.added };
      message.at = now();
      done();
    });
  });

  // A deploy stops Catch nodes, too, but this tells of every message that ends.
  RED.hooks.add('onComplete.bench', ({ msg, error, node }) => {
    if (node.id !== NODE) return;
    const message = messages[msg.number];
    message.ends.push(error ? (msg.stash?.error?.code ?? error.message) : 'done');
    if (!error) return;
    const job = msg.stash?.job;
    if (job) message.job = { id: job.id, added: job.added };
    message.at = now();
  });

  RED.events.on('flows:stopping', () => deploys.push({ stopping: now() }));
  for (const step of ['stopped', 'started']) {
    RED.events.on(`flows:${step}`, () => {
      const deploy = deploys.at(-1);
      if (deploy) deploy[step] = now();
    });
  }

  subscribe('net.client.socket', ({ socket }) => {
    let isTrying = true;
    trying += 1;
    connections.tried += 1;
    connections.most = Math.max(connections.most, trying);
    // One that is refused tells of the error first, and whoever has tried it may then go on.
    for (const end of ['connect', errorMonitor, 'close']) {
      socket.once(end, () => {
        if (isTrying) trying -= 1;
        isTrying = false;
      });
    }
  });

  const orders = {
    send: ({ batch, count }) => {
      for (let left = count; left > 0; left -= 1) {
        const number = messages.push({ batch, answers: [], ends: [] }) - 1;
        driver.send({ number });
      }
    },
    count: () => ({
      ended: messages.filter(({ ends }) => ends.length > 0).length,
      deployed: deploys.filter(({ started }) => started).length,
    }),
    tell: () => ({ messages, deploys }),
    listen: () => {
      connections = { tried: 0, most: trying };
    },
    heard: () => connections,
    memory: () => {
      globalThis.gc();
      const { heapUsed, rss } = process.memoryUsage();
      return { heapUsed, rss };
    },
  };
  process.on('message', ({ order, ...details }) => process.send(orders[order](details) ?? {}));
};
