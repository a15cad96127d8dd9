/** Whether the user may change something in the tab. The runtime checks it as well. */
export function mayAct(): boolean {
  return RED.user.hasPermission('stash-server.write');
}
