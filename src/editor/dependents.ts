/**
 * Greys and unticks checkboxes that have no effect without another one. Restores their ticks with that one.
 */
export function dependOn(parent: string, children: readonly string[]): void {
  const parentBox = $(`#node-input-${parent}`);
  for (const child of children) {
    const box = $(`#node-input-${child}`);
    let wasTicked = false;
    const update = () => {
      const isUsable = parentBox.is(':checked');
      if (isUsable === !box.prop('disabled')) return;
      if (!isUsable) wasTicked = box.is(':checked');
      box.prop({ disabled: !isUsable, checked: isUsable && wasTicked }).trigger('change');
    };
    parentBox.on('change', update);
    update();
  }
}

/** Greys a number that has no effect while another one is 0. */
export function dependOnNumber(parent: string, child: string): void {
  const parentInput = $(`#node-input-${parent}`);
  const update = () => {
    $(`#node-input-${child}`).prop('disabled', Number(parentInput.val()) === 0);
  };
  parentInput.on('input change', update);
  update();
}
