// A node of the benchmark's own: sends names to two nodes in turns and notes how each message ended. It is told what to
// do over the channel between the processes, and what it has noted outlives a deploy.

/** The nodes at the two outputs. */
const nodes = ['one', 'two'];

module.exports = (RED) => {
  let driver;
  /** In the order in which they were sent: the name, its answers (whether right), and how the message ended. */
  let messages = [];
  /** Numbers of messages, in the order of the answers. */
  let answered = [];
  /** When flows began and ended to stop, and when they ran: milliseconds since 1970. */
  let deploys = [];

  RED.nodes.registerType('bench-look-up-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    driver = this;
    this.on('input', ({ number, payload }, _send, done) => {
      messages[number].answers.push(payload?.name === messages[number].name);
      answered.push(number);
      done();
    });
  });

  // A deploy stops Catch nodes, too, but this tells of every message that ends.
  RED.hooks.add('onComplete.bench', ({ msg, error, node }) => {
    if (!nodes.includes(node.id)) return;
    messages[msg.number].ends.push(error ? (msg.stash?.error?.code ?? error.message) : 'done');
  });

  RED.events.on('flows:stopping', () => deploys.push({ stopping: Date.now() }));
  for (const step of ['stopped', 'started']) {
    RED.events.on(`flows:${step}`, () => {
      const deploy = deploys.at(-1);
      if (deploy) deploy[step] = Date.now();
    });
  }

  const orders = {
    forget: () => {
      messages = [];
      answered = [];
      deploys = [];
    },
    send: ({ names }) => {
      for (const name of names) {
        const number = messages.push({ name, answers: [], ends: [] }) - 1;
        const output = number % nodes.length;
        driver.send(nodes.map((_, index) => (index === output ? { payload: name, number } : null)));
      }
    },
    count: () => ({
      answered: answered.length,
      ended: messages.filter(({ ends }) => ends.length > 0).length,
      deployed: deploys.filter(({ started }) => started).length,
    }),
    tell: () => ({ messages, answered, deploys }),
    memory: () => {
      globalThis.gc();
      const { heapUsed, rss } = process.memoryUsage();
      return { heapUsed, rss };
    },
  };
  process.on('message', ({ order, ...details }) => process.send(orders[order](details) ?? {}));
};
