// Types for Node-RED's editor that @types/node-red lacks.
import type {
  EditorNodeDef,
  EditorNodeInstance,
  EditorRED,
  EditorWidgetTypedInputTypeDefinition,
} from 'node-red';

/** A node in the editor, with its saved properties. A flow file may lack any of them. */
export type EditorNode = EditorNodeInstance & {
  readonly _def: Definition;
  /** The tab; of a config node the only tab in which it can be used, if it is not global. */
  readonly z: string;
  /** Disabled. */
  readonly d?: boolean;
  readonly changed: boolean;
  /** The variables that an instance of a subflow sets. */
  readonly env?: readonly SubflowVariable[];
  readonly [property: string]: unknown;
};

/** An environment variable of a subflow. */
export interface SubflowVariable {
  readonly name: string;
  readonly value?: unknown;
}

/** The value of a property in a dialog or a flow file. A flow file may have a number where the dialog has text. */
export type Value = string | number | boolean | string[] | undefined;

/** The name of the property, if it has one. */
export interface ValidatorOptions {
  readonly label?: string;
}

/** `true`, or the reason why the value is wrong. */
export type Validator = (this: EditorNode, value: Value, options: ValidatorOptions) => true | string;

/** A property of a node, as an entry of `defaults`. */
export interface NodeProperty {
  readonly value?: Value;
  /** The type of config node that it refers to. */
  readonly type?: string;
  readonly required?: boolean;
  readonly label?: string;
  readonly validate?: Validator;
}

/** The definition of a node type in the editor. */
export interface Definition extends Pick<
  EditorNodeDef,
  'category' | 'color' | 'icon' | 'inputs' | 'outputs'
> {
  /** The tooltip of the category in the palette of Node-RED 4.1.11 and newer. */
  readonly categoryDescription?: string;
  readonly defaults: Readonly<Record<string, NodeProperty>>;
  readonly credentials?: Readonly<
    Record<string, { readonly type: 'text' | 'password'; readonly validate?: Validator }>
  >;
  outputLabels?(this: EditorNode, index: number): string;
  paletteLabel?(this: EditorNode): string;
  label?(this: EditorNode): string;
  labelStyle?(this: EditorNode): string;
  oneditprepare?(this: EditorNode): void;
  oneditsave?(this: EditorNode): void;
  oneditcancel?(this: EditorNode): void;
  onpaletteadd?(): void;
  onpaletteremove?(): void;
}

interface SidebarTab {
  id: string;
  /** What the tab shows, and its name in the menu. */
  label: string;
  name: string;
  iconClass: string;
  content: HTMLElement;
  /** Shows the tab. */
  action: string;
  /** Its button is always visible. */
  pinned: boolean;
  /** It can be used while a dialog is open. */
  enableOnEdit: boolean;
}

/** A type of a typed input that shows a control of its own for the value. */
export interface TypeWithControl extends EditorWidgetTypedInputTypeDefinition {
  /** Puts the control into an empty container. Called whenever the type is selected, or the value set from outside. */
  valueLabel(container: JQuery, value: unknown): void;
}

declare global {
  const RED: Pick<EditorRED, '_'> & {
    readonly nodes: {
      readonly registerType: (type: string, definition: Definition) => void;
      node(id: string): EditorNode | null | undefined;
      subflow(id: string): { readonly env?: readonly SubflowVariable[] } | null | undefined;
      workspace(id: string): { readonly disabled?: boolean } | null | undefined;
      eachNode(callback: (node: EditorNode) => void): void;
      eachConfig(callback: (node: EditorNode) => void): void;
      /** The nodes as they were loaded or deployed last; undefined before that. */
      originalFlow(): readonly Readonly<Record<string, unknown>>[] | undefined;
      updateConfigNodeUsers(node: EditorNode, options: { action: 'add' | 'remove' }): void;
      dirty(isDirty?: boolean): boolean;
    };
    readonly events: {
      /**
       * @param listener gets the source of a node that was added by hand or by an import, such as `palette`; null for the nodes
       * of loaded flows.
       */
      on(
        event: 'nodes:add',
        listener: (node: EditorNode, options?: { source?: string } | null) => void,
      ): void;
      on(event: 'editor:close', listener: () => void): void;
      on(event: 'workspace:dirty', listener: (state: { dirty: boolean }) => void): void;
      on(event: `stash-server:${string}`, listener: (node: EditorNode) => void): void;
      emit(event: 'nodes:change' | `stash-server:${string}`, node: EditorNode): void;
    };
    readonly editor: {
      /** Makes an editor of text, with the options of Monaco. */
      createEditor(options: {
        element: HTMLElement;
        mode: string;
        value: string;
        [option: string]: unknown;
      }): object;
      /**
       * Opens the dialog of a config node; `_ADD_` for a new one.
       * @param property the property of `node` that gets it, whose input has this prefix, if its dialog is open.
       */
      editConfig(property: string, type: string, id: string, prefix?: string, node?: EditorNode): void;
      getEditStack(): readonly EditorNode[];
      validateNode(node: EditorNode): void;
    };
    readonly clipboard: {
      /** Works only while a button is pressed. */
      copyText(text: string): boolean;
    };
    readonly i18n: { lang(): string };
    readonly history: { push(event: object): void };
    readonly utils: {
      sanitize(text: string): string;
      getNodeLabel(node: EditorNode, preset: string): string;
    };
    readonly actions: {
      add(name: string, act: () => void, options: { label: string }): void;
      remove(name: string): void;
    };
    readonly sidebar: {
      addTab(tab: SidebarTab): void;
      removeTab(id: string): void;
      containsTab(id: string): boolean;
      show(id: string): void;
    };
    readonly user: { hasPermission(permission: string): boolean };
    readonly validators: { typedInput(options: { type: string } | { typeField: string }): Validator };
    readonly state: { readonly DEFAULT: number };
    readonly view: { redraw(): void; reveal(id: string): void; state(state: number): void };
    readonly workspaces: { isLocked(id: string): boolean };
    notify(
      html: string,
      options: { fixed: boolean; buttons: { text: string; class?: string; click: () => void }[] },
    ): HTMLElement & { close(): void };
  };
}

/** Returns whether the inputs in the page are those of a node. Others are validated meanwhile, such as those with the same server. */
function isEdited(node: EditorNode): boolean {
  return RED.editor.getEditStack().includes(node);
}

/** Returns an input of a node's open dialog; an empty selection if another dialog is open, or none. */
export function inputOf(node: EditorNode, property: string): JQuery {
  return isEdited(node) ? $(`#node-input-${property}`) : $();
}
