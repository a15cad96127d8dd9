// A node of the benchmark's own: sends messages one after another until it is told to stop, and reports how long each took,
// or how much memory Node-RED has.
module.exports = (RED) => {
  RED.nodes.registerType('bench-editor-driver', function (definition) {
    RED.nodes.createNode(this, definition);
    let times = [];
    let start;
    let isRunning = false;
    const send = () => {
      start = performance.now();
      this.send({});
    };
    this.on('input', (_msg, _send, done) => {
      times.push(performance.now() - start);
      done();
      if (isRunning) send();
    });
    const onMessage = ({ order }) => {
      if (order === 'run') {
        times = [];
        isRunning = true;
        send();
        process.send({ isRunning });
      } else if (order === 'measure') {
        process.send({ bytes: process.memoryUsage.rss() });
      } else {
        isRunning = false;
        process.send({ times });
      }
    };
    process.on('message', onMessage);
    this.on('close', () => process.off('message', onMessage));
  });
};
