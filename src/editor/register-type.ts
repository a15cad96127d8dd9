import { fillDefaults } from './defaults';
import type { Definition } from './node-red';
import { words } from './words';

/** A node in the palette: what is particular to it. */
type PaletteNode = Pick<Definition, 'category' | 'color' | 'icon' | 'inputs' | 'outputs' | 'defaults'> &
  Pick<Definition, 'outputLabels' | 'oneditprepare'>;

export const stash = {
  /**
   * Registers a node that uses a server, with all that such nodes have in common. It is named like Node-RED's own
   * function, and wants a literal type, looks, ports and defaults (no spread): the public library reads them without
   * running the script.
   */
  registerType(type: string, { defaults, oneditprepare, ...node }: PaletteNode): void {
    RED.nodes.registerType(type, {
      outputLabels(index) {
        return this._(`output.${index}`);
      },
      ...node,
      defaults: {
        name: { value: '' },
        server: { type: 'stash-server', required: true, label: words('server:field.server') },
        ...defaults,
      },
      paletteLabel() {
        return this._('palette');
      },
      label() {
        return this.name || this._('node');
      },
      labelStyle() {
        return this.name ? 'node_label_italic' : '';
      },
      oneditprepare() {
        fillDefaults(this, '#node-input-');
        oneditprepare?.call(this);
      },
    });
  },
};
