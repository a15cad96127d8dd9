// Sends messages to the nodes of a tab, and records what Node-RED does with each: every arrival, end, result and caught error.
// It also samples what the process holds. Commands come over the channel between the processes; the records survive a deploy.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setImmediate: turn } = require('node:timers/promises');

const SECOND = 1e9;
/** Milliseconds that an error may take to the Catch node. */
const CATCHING = 100;
/** How often to collect garbage before a sample: finalizers run after the first one. */
const COLLECTIONS = 4;

module.exports = (RED) => {
  /** By the letter of the server, which is also that of the tab. */
  const drivers = new Map();
  /** By number: the messages since the last report. */
  const messages = new Map();
  /** What should never happen, in words. */
  const alarms = [];
  /** The messages of nodes without an input, by node. */
  const told = {};
  /** Those that have not ended at the node that received them. */
  const open = new WeakSet();
  let deploys = 0;
  let isDeploying = false;

  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  process.report.excludeNetwork = true;

  RED.events.on('flows:stopping', () => {
    isDeploying = true;
    deploys += 1;
    const since = performance.now() - CATCHING;
    for (const message of messages.values()) message.isAmidDeploy ||= message.endedAt > since;
  });
  RED.events.on('flows:started', () => {
    isDeploying = false;
  });
  process.on('warning', ({ name, message }) => alarms.push(`warning: ${name}: ${message}`));
  process.on('uncaughtExceptionMonitor', (error, origin) => alarms.push(`${origin}: ${error.stack}`));

  RED.nodes.registerType('bench-soak-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    drivers.set(definition.server, this);
    this.targets = definition.targets;
    // What comes back was recorded when it was sent.
    this.on('input', (_msg, _send, done) => done());
  });

  /** Returns the record of a message, or undefined after an alarm. */
  function recordOf({ number }, what) {
    const message = messages.get(number);
    if (!message) alarms.push(`message ${number}: ${what} after its report`);
    return message;
  }
  const isOfSoak = (id, msg) => /^[ab]-(?!driver|caught)/.test(id) && msg.number !== undefined;

  RED.hooks.add('onReceive.soak', ({ msg, destination: { id, node } }) => {
    if (!isOfSoak(id, msg)) return;
    const message = recordOf(msg, 'received');
    // After a deploy, the next node receives what waits once more.
    if (!message || open.has(msg)) return;
    open.add(msg);
    message.received += 1;
    // Node-RED has closed the node, but not yet taken it out of the flow: nobody gets the message.
    message.isLost ||= !node._inputCallback && !node._inputCallbacks;
    message.deploys ??= deploys;
  });

  RED.hooks.add('onComplete.soak', ({ msg, error, node: { id } }) => {
    if (!isOfSoak(id, msg)) return;
    const message = recordOf(msg, 'ended');
    if (!message) return;
    open.delete(msg);
    message.ends.push(error ? (msg.stash?.error?.code ?? `unforeseen: ${error.stack ?? error}`) : 'done');
    message.endedAt = performance.now();
    message.isAmidDeploy ||= isDeploying || message.deploys !== deploys;
  });

  RED.hooks.add('onSend.soak', (events) => {
    for (const { msg, source, destination } of events) {
      if (!/^[ab]-driver$/.test(destination.id)) continue;
      if (/^[ab]-caught$/.test(source.id)) noteCaught(msg);
      else if (msg.number === undefined) told[source.id] = (told[source.id] ?? 0) + 1;
      else {
        const { index, count } = msg.parts ?? {};
        const status = msg.payload?.status;
        recordOf(msg, 'sent')?.outputs.push({ output: source.port, index, count, status });
      }
    }
  });

  function noteCaught(msg) {
    if (msg.number === undefined) {
      // A node without an input has an error of its own.
      const { source, message } = msg.error;
      if (msg.stash?.error?.code === undefined) alarms.push(`${source.id}: ${message}`);
      told[`${source.id} errors`] = (told[`${source.id} errors`] ?? 0) + 1;
      return;
    }
    const message = recordOf(msg, 'caught');
    if (message) message.caught += 1;
  }

  const orders = {
    /** Sends messages, unless a deploy has just stopped the flows: then Node-RED would lose them. */
    send: ({ wanted }) => {
      if (isDeploying) return;
      for (const { number, server, kind, payload, isReset = false } of wanted) {
        const to = `${server}-${kind}`;
        if (isReset) for (const each of messages.values()) if (each.to === to) each.wasReset = true;
        messages.set(number, {
          number,
          kind,
          to,
          isReset,
          wasReset: false,
          isAmidDeploy: false,
          isLost: false,
          received: 0,
          ends: [],
          outputs: [],
          caught: 0,
        });
        const driver = drivers.get(server);
        const msg = { number, payload, ...(isReset && { reset: true }) };
        driver.send(driver.targets.map((target) => (target === kind ? msg : null)));
      }
    },
    /** Returns the nodes of the messages that have not ended. */
    count: () => ({ pending: [...messages.values()].filter(isPending).map(({ to }) => to) }),
    tell: () => {
      const all = [...messages.values()];
      messages.clear();
      return { messages: all, alarms: alarms.splice(0), told };
    },
    sample: async () => {
      for (let left = COLLECTIONS; left > 0; left -= 1) {
        globalThis.gc();
        await turn();
      }
      const { heapUsed, external, rss } = process.memoryUsage();
      const { libuv } = process.report.getReport();
      const active = libuv.filter(({ is_active: isActive, type }) => isActive && type !== 'loop');
      const answer = {
        heapUsed,
        external,
        rss,
        resources: tally(process.getActiveResourcesInfo()),
        handles: tally(active.map(({ type }) => type)),
        delay: { p99: delay.percentile(99) / SECOND, max: delay.max / SECOND },
      };
      delay.reset();
      return answer;
    },
  };
  process.on('message', async ({ order, ...details }) => process.send((await orders[order](details)) ?? {}));
};

function isPending({ received, ends, isLost }) {
  return !isLost && ends.length < Math.max(received, 1);
}

function tally(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
