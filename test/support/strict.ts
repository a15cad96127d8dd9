/** Fails the running test on an unhandled rejection, which would end Node-RED and which mocha ignores. */
process.on('unhandledRejection', (reason) => {
  throw reason instanceof Error ? reason : new Error(String(reason));
});
