// A node of the benchmark's own: asks for a large response in one of three ways, and measures the time, the longest stall of the
// event loop, and the memory. The benchmark talks to it over the channel between the processes.
const { Buffer } = require('node:buffer');
const http = require('node:http');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { clearInterval, setInterval } = require('node:timers');
const { setTimeout: sleep } = require('node:timers/promises');

/** Milliseconds; what has kept a timer waiting is known when it runs at last. */
const SETTLE = 50;

module.exports = (RED) => {
  let received;

  RED.nodes.registerType('bench-answer-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    this.on('input', (msg, _send, done) => {
      received(msg);
      done();
    });
  });

  /** Sends a message to a node. Resolves with the one that comes back. */
  const through = (id, payload) =>
    new Promise((resolve, reject) => {
      received = (msg) => (msg.error ? reject(new Error(JSON.stringify(msg.error))) : resolve(msg.payload));
      RED.nodes.getNode(id).receive({ payload });
    });

  const ways = {
    /** The node of this package. */
    stash: async ({ id, isWhole }) => {
      const payload = await through(id);
      return isWhole ? payload : { allStudios: payload };
    },
    /** The core node "http request". */
    core: async ({ document }) => (await through('core', { query: document })).data,
    /** Nothing but Node.js. */
    bare: async ({ url, document }) => (await post(url, { query: document })).data,
  };

  async function measure({ way, ...question }) {
    const before = await usedForGood();
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, used());
    }, 2);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const start = performance.now();
    const data = await ways[way](question);
    const milliseconds = performance.now() - start;
    most = Math.max(most, used());
    await sleep(SETTLE);
    delay.disable();
    clearInterval(sampling);
    received = undefined;
    const held = (await usedForGood()) - before;
    const [list] = Object.values(data);
    const seen = { count: list.length, last: JSON.stringify(list.at(-1)) };
    return { milliseconds, stall: delay.max / 1e6, held, peak: most - before, ...seen };
  }

  /** Resolves with the milliseconds that parsing takes, and nothing else. */
  async function parse({ url, document }) {
    // As in `measure`: after a garbage collection, V8 has to grow the heap again.
    await usedForGood();
    const text = await textOf(url, { query: document });
    const start = performance.now();
    JSON.parse(text);
    return { milliseconds: performance.now() - start };
  }

  process.on('message', ({ order, ...details }) => {
    ({ measure, parse })[order](details).then(
      (answer) => process.send(answer),
      (error) => process.send({ error: error.message }),
    );
  });
};

/** The bytes that the heap and buffers take. */
function used() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The same after a garbage collection. V8 frees the memory of buffers a while after it, and notices with the next one. */
async function usedForGood() {
  globalThis.gc();
  await sleep(SETTLE);
  globalThis.gc();
  return used();
}

async function post(url, content) {
  return JSON.parse(await textOf(url, content));
}

function textOf(url, content) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = http.request(`${url}/graphql`, { method: 'POST', headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      response.on('error', reject);
    });
    request.on('error', reject).end(JSON.stringify(content));
  });
}
