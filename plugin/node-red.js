// Runs in Stash when a page tells what it plays. Writes a line of the log: "[Plugin / Node-RED] node-red-stash {…}".
// In JavaScript of 2009, which v0.25 needs.
(function () {
  function playerIn(player) {
    return {
      id: player.id,
      name: player.name,
      scene: player.scene,
      state: player.state,
      // Numbers arrive as texts.
      count: Number(player.count),
      position: Number(player.position),
      seconds: Number(player.seconds),
    };
  }
  log.Trace('node-red-stash ' + JSON.stringify({ player: playerIn(input.Args.player) }));
  return { Output: 'told' };
})();
