// A node of the benchmark's own: sends messages through one of two nodes and times how long they take to come back.
// The benchmark talks to it over the channel between the processes, and Node-RED does nothing else meanwhile.

/** What each node gets and must give: the core node needs its body on the message, as any flow would put it there. */
const ways = {
  stash: {
    message: () => ({}),
    isRight: ({ payload }) => payload?.status === 'OK',
  },
  core: {
    message: () => ({ payload: { query: '{ systemStatus { status } }' } }),
    isRight: ({ statusCode, payload }) => statusCode === 200 && payload?.data?.systemStatus?.status === 'OK',
  },
};
const outputs = Object.keys(ways);

module.exports = (RED) => {
  RED.nodes.registerType('bench-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    let received;

    this.on('input', (msg, _send, done) => {
      received(msg);
      done();
    });

    /** Sends `count` messages, always `concurrency` of them on their way, and gives the microseconds for each. */
    const run = ({ way, concurrency, count }) =>
      new Promise((resolve, reject) => {
        const { message, isRight } = ways[way];
        const output = outputs.indexOf(way);
        let sent = 0;
        let back = 0;
        const send = () => {
          sent += 1;
          this.send(outputs.map((_, index) => (index === output ? message() : null)));
        };
        received = (msg) => {
          back += 1;
          if (!isRight(msg)) reject(new Error(`${way}: ${JSON.stringify(msg.error ?? msg.payload)}`));
          else if (sent < count) send();
          else if (back === count) resolve(((performance.now() - start) * 1000) / count);
        };
        const start = performance.now();
        while (sent < concurrency) send();
      });

    const onMessage = (order) => {
      if (order.way === 'memory') {
        process.send({ bytes: process.memoryUsage.rss() });
        return;
      }
      run(order).then(
        (microseconds) => process.send({ microseconds }),
        (error) => process.send({ error: error.message }),
      );
    };
    process.on('message', onMessage);
    this.on('close', () => process.off('message', onMessage));
  });
};
