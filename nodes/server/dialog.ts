import { decoded, hasCredentials, headersIn, parseAddress, startPage } from '../../src/contract/server';
import { isFilled } from '../../src/contract/values';
import {
  addSidebarTab,
  arePathRows,
  Diagnosis,
  type EditorNode,
  endGuide,
  entered,
  type Guide,
  guideThrough,
  minutes,
  number,
  offerFirstServer,
  pathMapInDialog,
  prepareDialog,
  prepareSearch,
  referenceWith,
  removeSidebarTab,
  type ServerReference,
  showPathMap,
  showPlugin,
  STORED,
  useOnlyServer,
  validator,
  type Value,
  words,
} from '../../src/editor';

/** The names of this machine, which no other one can use. */
const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/;

RED.nodes.registerType('stash-server', {
  category: 'config',
  color: '#7DB1DC',
  icon: 'stash-server.svg',
  defaults: {
    name: { value: '' },
    url: {
      value: 'http://localhost:9999',
      required: true,
      label: words('server:field.url'),
      validate: validator('server:invalid.url', (text) => {
        if (text === undefined) return true;
        const url = parseAddress(String(text));
        return url && hasCredentials(url) ? words('server:invalid.credentials') : url !== undefined;
      }),
    },
    auth: { value: 'none' },
    tls: { value: '', type: 'tls-config', required: false, label: words('server:field.tls') },
    proxy: { value: '', type: 'http proxy', required: false, label: words('server:field.proxy') },
    pathMap: { value: [], validate: validator('server:invalid.pathMap', arePathRows) },
    pause: number('5', 'server:invalid.pause'),
    retryFor: minutes('60', 'server:invalid.retryFor'),
    timeout: number('30', 'server:invalid.timeout', 0.001),
    lookupTimeout: number('90', 'server:invalid.timeout', 0.001),
    backupTimeout: number('3600', 'server:invalid.timeout', 0.001),
  },
  credentials: {
    apiKey: {
      type: 'password',
      validate: validator('server:invalid.apiKey', (key) => isCredentialGiven(key, 'apiKey')),
    },
    username: {
      type: 'text',
      validate: validator('server:invalid.username', (name) => isCredentialGiven(name, 'session')),
    },
    password: {
      type: 'password',
      validate: validator('server:invalid.password', (password) => isCredentialGiven(password, 'session')),
    },
    headers: { type: 'password', validate: validator('server:invalid.headers', areHeaders) },
  },
  label() {
    return this.name || (this['url'] as string);
  },
  oneditprepare() {
    prepareDialog(this, 'node-config-input-', () => {
      prepareAddress();
      prepareAccess();
      prepareTest(this);
    });
    showPathMap(() => enteredServer(this), this['pathMap']);
    showPlugin(() => enteredServer(this));
  },
  oneditsave() {
    endGuide(this.id, true);
    Object.assign(this, { pathMap: pathMapInDialog() });
  },
  oneditcancel() {
    endGuide(this.id, false);
  },
  onpaletteadd: addSidebarTab,
  onpaletteremove: removeSidebarTab,
});

/** Shows the fields of the selected sign-in. */
function prepareAccess(): void {
  const auth = $('#node-config-input-auth');
  auth
    .on('change', () => {
      $('.stash-auth-apiKey').toggle(auth.val() === 'apiKey');
      $('.stash-auth-session').toggle(auth.val() === 'session');
      // They may be required now, or no longer.
      $('#node-config-input-apiKey, #node-config-input-username, #node-config-input-password').trigger(
        'change',
      );
    })
    .trigger('change');
  // JSON is hard to type blindly, so it is readable while it is edited.
  const headers = $('#node-config-input-headers');
  headers.on('focus input blur', ({ type }) => {
    headers.attr('type', type === 'blur' || headers.val() === STORED ? 'password' : 'text');
  });
}

/** Reduces a pasted address to that of the start page, and links there. */
function prepareAddress(): void {
  const input = $('#node-config-input-url');
  const reduce = () => {
    const url = parseAddress(String(input.val()));
    const isReducible = url && input.val() !== startPage(url);
    if (isReducible && (!hasCredentials(url) || moveToHeaders(url)))
      input.val(startPage(url)).trigger('change');
  };
  input
    .on('blur', reduce)
    .on('input change', () => {
      const url = parseAddress(String(input.val()));
      const isUsable = url !== undefined && !hasCredentials(url);
      $('#stash-links a').toggle(isUsable);
      $('#stash-local').toggle(isUsable && LOCAL.test(url.hostname));
      if (!isUsable) return;
      $('#stash-local > .stash-hint').text(words('server:note.local', { host: url.hostname }));
      $('#stash-start-page').attr('href', startPage(url));
    })
    .trigger('change');
  // Nobody has left the field of an imported address.
  reduce();
}

/**
 * Enters the username and password of an address as a header: Stash itself takes none from there, but a reverse proxy does.
 * @returns false if headers are stored, which only the runtime knows.
 */
function moveToHeaders({ username, password }: URL): boolean {
  const input = $('#node-config-input-headers');
  const text = String(input.val());
  const known = isFilled(text) ? headersIn(text) : {};
  if (!known) return false;
  const bytes = new TextEncoder().encode([username, password].map(decoded).join(':'));
  const authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  input.val(JSON.stringify({ ...known, authorization })).trigger('change');
  input.closest('details').prop('open', true);
  return true;
}

/** Prepares the search for Stash, the checks of the connection, and the steps to the first server. */
function prepareTest(node: EditorNode): void {
  const input = $('#node-config-input-url');
  const useAddress = (url: string) => {
    input.val(url).trigger('change');
  };
  const useSignIn = (auth: string) => {
    $('#node-config-input-auth').val(auth).trigger('change');
  };
  const search = prepareSearch(({ url, needsSignIn }) => {
    useAddress(url);
    if (needsSignIn && $('#node-config-input-auth').val() === 'none') useSignIn('apiKey');
  });
  const diagnosis = new Diagnosis({
    server: () => enteredServer(node),
    useAddress,
    useSignIn,
    show(field) {
      showField(field, guide);
    },
    labelOf: (field) => sectionOf(field) ?? rowLabel(field),
    startPage() {
      const url = parseAddress(String(input.val()));
      return url && startPage(url);
    },
    find() {
      guide?.show('address');
      search.find();
    },
    onEnd(isReady) {
      guide?.conclude(isReady);
    },
  });
  const guide = guideThrough(node, () => {
    diagnosis.run();
  });
  $('#stash-test')
    // When the dialog is closed in any way. Node-RED tells a node nothing of its Delete button.
    .on('remove', () => {
      diagnosis.cancel();
      search.cancel();
    })
    .closest('form')
    .on('input change', ({ target }: { target: Element }) => {
      // The checks depend on neither.
      if (!['node-config-input-name', 'stash-plugin-source'].includes(target.id)) diagnosis.cancel();
    });
}

/** Returns the heading of a section that a problem is about; undefined for a field. */
function sectionOf(field: string): string | undefined {
  return field === 'pathMap' || field === 'plugin' ? words(`server:section.${field}`) : undefined;
}

function rowLabel(field: string): string {
  return $(`label[for="node-config-input-${field}"]`).first().text().trim();
}

/** Leads to a field, which may be in a closed section, or in another step. */
function showField(field: string, guide: Guide | undefined): void {
  if (['apiKey', 'password'].includes(field)) guide?.show('signIn');
  else guide?.leave();
  const others: Readonly<Record<string, string>> = {
    pathMap: '.stash-section .red-ui-editableList-addButton',
    plugin: '#stash-plugin summary',
  };
  const target = $(others[field] ?? `#node-config-input-${field}`);
  const section = target.closest('details').prop('open', true);
  target.trigger('focus');
  section[0]?.scrollIntoView({ block: 'nearest' });
}

/** Returns the server with the values in the dialog. */
function enteredServer(node: EditorNode): ServerReference {
  const names = Object.keys({ ...node._def.defaults, ...node._def.credentials });
  const values = names.map((name) => [name, $(`#node-config-input-${name}`).val()]);
  const typed = Object.fromEntries(values) as Record<string, unknown>;
  return referenceWith(node, entered(node, { ...typed, pathMap: pathMapInDialog() }));
}

/** Returns whether a credential is present or not needed for the selected sign-in. */
function isCredentialGiven(value: Value, auth: string): boolean {
  return $('#node-config-input-auth').val() !== auth || isFilled(value);
}

function areHeaders(text: Value): boolean {
  return !isFilled(text) || text === STORED || headersIn(text) !== undefined;
}

useOnlyServer();
offerFirstServer();
