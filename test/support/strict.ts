/** A promise that is rejected and left alone kills Node-RED, so it fails the test that runs; mocha lets it pass. */
process.on('unhandledRejection', (reason) => {
  throw reason instanceof Error ? reason : new Error(String(reason));
});
