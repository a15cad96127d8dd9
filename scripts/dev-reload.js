// A part of the editor's page in `npm run dev`: loads the page again when Node-RED is back after a restart.
/* global location, RED */
(() => {
  let seen = false;
  RED.comms.on('connect', () => {
    if (seen) location.reload();
    seen = true;
  });
})();
