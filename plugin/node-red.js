// Runs in Stash when a page tells what it plays, and as a hook after a change of an item. Writes a line of the log:
// "[Plugin / Node-RED] node-red-stash {…}".
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
      // That it obeys, if it does.
      command: player.command,
    };
  }

  /** Which hook it is, the ID of the item, and the names of the fields that were sent for a change. v0.25 has the names of its source. */
  function changeIn(context) {
    return {
      hook: context.type || context.Type,
      id: context.id || context.ID,
      fields: listOf(context.inputFields || context.InputFields),
      // Of tags that were merged, those that are gone.
      sources: sourcesIn(context.input || context.Input || {}),
    };
  }

  function sourcesIn(sent) {
    return listOf(sent.source || sent.Source);
  }

  /** Lists of Stash are none of JavaScript. */
  function listOf(list) {
    return list ? Array.prototype.slice.call(list) : [];
  }

  function eventIn(args) {
    return args.hookContext ? { change: changeIn(args.hookContext) } : { player: playerIn(args.player) };
  }

  log.Trace('node-red-stash ' + JSON.stringify(eventIn(input.Args)));
  return { Output: 'told' };
})();
