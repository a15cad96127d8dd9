/**
 * Greys and unticks checkboxes that have no effect without another one. Restores their ticks with that one.
 */
export function dependOn(parent: string, children: readonly string[]): void {
  const parentBox = $(`#node-input-${parent}`);
  parentBox.on(
    'change',
    untickUnless(() => parentBox.is(':checked'), children),
  );
}

/**
 * Greys and unticks checkboxes while they have no effect. Returns a function to call when that may have changed; it restores
 * their ticks.
 */
export function untickUnless(isUsable: () => boolean, names: readonly string[]): () => void {
  const updates = names.map((name) => {
    const box = $(`#node-input-${name}`);
    let wasTicked = false;
    let wasUsable = true;
    return () => {
      if (isUsable() === wasUsable) return;
      wasUsable = isUsable();
      if (!wasUsable) wasTicked = box.is(':checked');
      disableWhile(box, 'dependent', !wasUsable);
      box.prop('checked', wasUsable && wasTicked).trigger('change');
    };
  });
  const updateAll = () => {
    for (const update of updates) update();
  };
  updateAll();
  return updateAll;
}

/** Greys inputs that have no effect unless a checkbox is ticked. */
export function greyUnless(parent: string, children: readonly string[]): void {
  const parentBox = $(`#node-input-${parent}`);
  const update = () => {
    const isUsable = parentBox.is(':checked');
    // Whether a value is wrong depends on that, too.
    for (const child of children) {
      const input = $(`#node-input-${child}`);
      disableWhile(input, 'dependent', !isUsable);
      input.trigger('change');
    }
  };
  parentBox.on('change', update);
  update();
}

/** Greys a number that has no effect while another one is 0. */
export function dependOnNumber(parent: string, child: string): void {
  const parentInput = $(`#node-input-${parent}`);
  const update = () => {
    disableWhile($(`#node-input-${child}`), 'dependent', Number(parentInput.val()) === 0);
  };
  parentInput.on('input change', update);
  update();
}

/** The reasons for which a control is disabled, as data of its element. */
const REASONS = 'stash-disabled';

/** Disables a control, or an option of a list, while at least one reason holds. */
export function disableWhile(control: JQuery, reason: string, holds: boolean): void {
  const reasons = (control.data(REASONS) as Set<string> | undefined) ?? new Set<string>();
  if (holds) reasons.add(reason);
  else reasons.delete(reason);
  control.data(REASONS, reasons).prop('disabled', reasons.size > 0);
}
