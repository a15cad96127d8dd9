// Part of the editor in `npm run dev`: reloads the page after a restart of Node-RED.
(() => {
  let seen = false;
  RED.comms.on('connect', () => {
    if (seen) location.reload();
    seen = true;
  });
})();
