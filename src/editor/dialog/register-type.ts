import { onAddedByHand } from '../by-hand';
import type { Definition, EditorNode } from '../node-red';
import { preselectOnlyServer, SelectedServer, showServerNote, showSetUpLink } from '../server';
import { words } from '../words';
import { showLacking } from './lacking';
import { prepareDialog } from './prepare';

/** The definition of a node that uses a server, without the parts that all such nodes share. */
type PaletteNode = Pick<Definition, 'category' | 'color' | 'icon' | 'inputs' | 'outputs' | 'defaults'> &
  Pick<Definition, 'outputLabels' | 'oneditsave' | 'oneditcancel'> & {
    /** Prepares the dialog of a node. What the server can do is not known yet. */
    oneditprepare?: (this: EditorNode, server: SelectedServer) => void;
    /** Returns the values with which a node that is added by hand begins, where they differ from those of an old flow file. */
    fresh?: (this: EditorNode) => object;
    /** Returns the text after the node's type in its label, such as ": downloads"; empty for none. */
    labelSuffix?: (this: EditorNode) => string;
  };

export const stash = {
  /**
   * Registers a node that uses a server. It is named like Node-RED's own function, and needs a literal type, appearance,
   * ports and defaults (no spread), because the public library reads them without running the script.
   */
  registerType(type: string, { defaults, oneditprepare, fresh, labelSuffix, ...node }: PaletteNode): void {
    onAddedByHand((added) => {
      if (added.type === type) Object.assign(added, fresh?.call(added));
    });
    // A method call with a variable would be an error in the list of types of the public library.
    const { registerType } = RED.nodes;
    registerType(type, {
      outputLabels(index) {
        return this._(`output.${index}`);
      },
      ...node,
      categoryDescription: words('server:category'),
      defaults: {
        name: { value: '' },
        server: { type: 'stash-server', required: true, label: words('server:field.server') },
        ...defaults,
      },
      paletteLabel() {
        return this._('palette');
      },
      label() {
        if (this.name) return this.name;
        const suffix = labelSuffix?.call(this) ?? '';
        return suffix === '' ? this._('node') : this._('palette') + suffix;
      },
      labelStyle() {
        return this.name ? 'node_label_italic' : '';
      },
      oneditprepare() {
        prepareDialog(this, 'node-input-', () => {
          preselectOnlyServer();
          const server = new SelectedServer(this);
          showServerNote(this, server);
          oneditprepare?.call(this, server);
          showLacking(this, server);
          server.request();
        });
        showSetUpLink(this);
      },
    });
  },
};
