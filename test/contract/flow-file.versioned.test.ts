import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import sinon, { type SinonSpy } from 'sinon';
import { checkFrozen, readFrozen } from './frozen';
import { credentials as secrets, type FlowNode, released, setEnvironment } from './released';
import { dialogOf, typedInputsOf } from '../support/dialog';
import { load } from '../support/flow';
import { names, nodeModulesWith } from '../support/nodes';
import { helper } from '../support/runtime';
import { StashError } from '../../src/errors';
import { readInput } from '../../src/flow/inputs/define';
import type * as define from '../../src/flow/inputs/define';
import type { ServerOptions } from '../../src/server/options';
import type * as servers from '../../src/server/server';

/** What a flow file may have of a node. */
interface FrozenNode {
  inputs: number;
  outputs: number;
  /** Each property with its default; null for none. */
  properties: Record<string, unknown>;
  /** The type of config node that a property refers to. */
  references: Record<string, string>;
  credentials: Record<string, string>;
  /** The choices of a property, and the types of a typed input. */
  choices: Record<string, string[]>;
  types: Record<string, string[]>;
}

const RULE =
  'The flow file is a contract: a property keeps its name, its default and its meaning, and a value that a dialog offered ' +
  'still works, because the flows of users have them.';

/** The properties that only the editor reads, and the server, which is another node. */
const NOT_READ = ['name', 'outputs', 'server'];

const frozen = readFrozen('flow-file.json') as Record<string, FrozenNode>;
const types = names.map((name) => `stash-${name}`);
const actions = types.filter((type) => type !== 'stash-server');

describe('The contract of the flow file', () => {
  it('keeps each type, property, default, choice, credential and port', () => {
    const found = Object.fromEntries(names.map((name) => [`stash-${name}`, nodeOf(name)]));
    checkFrozen('flow-file.json', found, { rule: RULE });
  });

  it('has the types of each typed input', () => {
    for (const [type, { properties, types: offered }] of Object.entries(frozen)) {
      const typed = Object.keys(properties).filter((property) => `${property}Type` in properties);
      assert.deepEqual(Object.keys(offered).sort(), typed.sort(), type);
    }
  });

  describe('holds for the runtime, which', () => {
    let properties: Map<string, define.Properties<Record<string, unknown>>>;
    let unset: () => void;

    // What a node reads is part of its definition, which it has only once Node-RED starts it.
    before(async () => {
      const nowhere = 'http://127.0.0.1:9';
      const other = { STASH_KEY: 'key', PROXY_URL: nowhere, BACKUP_FOLDER: '/' };
      unset = setEnvironment({ STASH_URL: nowhere, ...other });
      const spies: SinonSpy[] = [];
      const modules = nodeModulesWith('flow/inputs/define', (module) => {
        const original = module as typeof define;
        const [checkFixed, readFixed] = [sinon.spy(original.checkFixed), sinon.spy(original.readFixed)];
        spies.push(checkFixed, readFixed);
        return { checkFixed, readFixed };
      });
      await load(released, secrets, modules);
      await helper.unload();
      properties = new Map(types.map((type) => [type, {}]));
      for (const [own, config] of spies.flatMap(({ args }) => args) as [object, define.Config][]) {
        Object.assign(properties.get(String(config['type'])) ?? {}, own);
      }
    });
    after(() => {
      unset();
    });

    /** Returns what a node reads from its properties for one message, or why it cannot. */
    async function read({ type, ...config }: Readonly<Record<string, unknown>>): Promise<unknown> {
      const own = properties.get(String(type));
      assert.ok(own && Object.keys(own).length > 0, `${String(type)} reads properties`);
      try {
        return await readInput(own, { type, ...config }, evaluate);
      } catch (error) {
        if (error instanceof StashError) return { case: error.case, ...error.details };
        throw error;
      }
    }

    for (const type of actions) {
      const ownNodes = released.filter((node) => node.type === type);
      const { properties: all = {}, choices = {}, types: offered = {} } = frozen[type] ?? {};
      const presets = Object.fromEntries(
        Object.entries(all).filter(([property]) => !NOT_READ.includes(property)),
      );

      it(`gives ${type} the same defaults`, async () => {
        for (const property of Object.keys(presets)) {
          for (const node of ownNodes) {
            const found = await read(without(node, property));
            const expected = await read({ ...node, [property]: presets[property] });
            const changed = `${type}: the default of \`${property}\` is another one. ${RULE}`;
            assert.ok(isDeepStrictEqual(found, expected), changed);
          }
        }
        assert.deepEqual(await read({ type }), await read({ type, ...presets }), `${type} alone. ${RULE}`);
      });

      it(`heeds each property of ${type}`, async () => {
        for (const property of Object.keys(presets)) {
          const results = ownNodes.map(async (node) => {
            const [set, preset] = [await read(node), await read({ ...node, [property]: presets[property] })];
            return JSON.stringify(set) !== JSON.stringify(preset);
          });
          const isHeeded = (await Promise.all(results)).includes(true);
          const lost = `${type}: nothing depends on \`${property}\` any more, or released-flow.json has only its default.`;
          assert.ok(isHeeded, `${lost} ${RULE}`);
        }
      });

      it(`takes every choice that the dialog of ${type} ever offered`, async () => {
        const lists = [
          ...Object.entries(offered).map(([property, list]) => [`${property}Type`, list] as const),
          ...Object.entries(choices),
        ];
        for (const [property, list] of lists) {
          const isList = Array.isArray(presets[property]);
          const results = async (choice: string) => {
            const given = ownNodes.map((node) => read({ ...node, [property]: isList ? [choice] : choice }));
            return (await Promise.all(given)).some((one) => caseOf(one) === 'BAD_INPUT.unknownChoice');
          };
          assert.ok(await results('of no version'), `${type}: \`${property}\` is checked`);
          for (const choice of list) {
            assert.ok(!(await results(choice)), `${type}: \`${property}\` refuses "${choice}". ${RULE}`);
          }
        }
      });
    }

    it('gives stash-server the same defaults, and heeds each of its properties and credentials', async () => {
      const { properties: presets = {}, credentials = {} } = frozen['stash-server'] ?? {};
      const own = released.filter(({ type }) => type === 'stash-server');
      const others = released.filter(({ type }) => ['tls-config', 'http proxy'].includes(type));
      const variants = own.flatMap((node) => {
        const secret = secrets[node.id] ?? {};
        const given = [
          { how: 'as it is', node, secret },
          ...Object.keys(presets).flatMap((name) => [
            { how: `default ${name}`, node: { ...node, [name]: presets[name] }, secret },
            { how: `without ${name}`, node: without(node, name), secret },
          ]),
          ...Object.keys(credentials).map((name) => {
            return { how: `default ${name}`, node, secret: { ...secret, [name]: '' } };
          }),
        ];
        return given.map((one) => ({ ...one, id: `${node.id} ${one.how}` }));
      });

      let args: [ServerOptions][] = [];
      const modules = nodeModulesWith('server/server', (module) => {
        const spy = sinon.spy((module as typeof servers).Server) as unknown as SinonSpy<[ServerOptions]>;
        args = spy.args;
        return { Server: spy };
      });
      await load(
        [...others, ...variants.map(({ id, node }) => ({ ...node, id }))],
        Object.fromEntries(variants.map(({ id, secret }) => [id, secret])),
        modules,
      );
      await helper.unload();
      assert.equal(args.length, variants.length, 'each node has a server');
      // Node-RED starts them in the order of the flow file.
      const options = new Map(variants.map(({ id }, index) => [id, JSON.stringify(args[index]?.[0])]));

      for (const name of Object.keys(presets)) {
        for (const { id } of own) {
          const isSame = options.get(`${id} without ${name}`) === options.get(`${id} default ${name}`);
          assert.ok(isSame, `stash-server: the default of \`${name}\` is another one. ${RULE}`);
        }
      }
      for (const name of [...Object.keys(presets), ...Object.keys(credentials)]) {
        const isHeeded = own.some(
          ({ id }) => options.get(`${id} as it is`) !== options.get(`${id} default ${name}`),
        );
        assert.ok(isHeeded, `stash-server: nothing depends on \`${name}\` any more. ${RULE}`);
      }
    });
  });
});

/** Returns what the dialog of a node registers and offers. */
function nodeOf(name: string): object {
  const { definition, template } = dialogOf(name);
  const { inputs = 0, outputs = 0, defaults, credentials = {} } = definition;
  const entries = Object.entries(defaults);
  const offered = Object.entries(typedInputsOf(name));
  return {
    inputs,
    outputs,
    properties: Object.fromEntries(entries.map(([property, { value = null }]) => [property, value])),
    references: Object.fromEntries(
      entries.flatMap(([property, { type }]) => (type ? [[property, type]] : [])),
    ),
    credentials: Object.fromEntries(
      Object.entries(credentials).map(([credential, given]) => [
        credential,
        (given as { type: string }).type,
      ]),
    ),
    choices: Object.fromEntries(
      [
        ...template.matchAll(/<select [^>]*id="node-(?:config-)?input-(\w+)"[^>]*>([\s\S]*?)<\/select>/g),
      ].flatMap(([, property = '', options = '']) => {
        const values = [...options.matchAll(/<option [^>]*value="([^"]*)"/g)].map(([, value]) => value);
        return values.length > 0 ? [[property, new Set(values)]] : [];
      }),
    ),
    types: Object.fromEntries(
      offered.map(([property, list]) => [property, new Set(list.map(({ value }) => value))]),
    ),
  };
}

/** Evaluates a typed input to something that tells its value and its type. */
function evaluate(value: string, type: string): Promise<unknown> {
  if (type === 'json') return Promise.resolve().then(() => JSON.parse(value) as unknown);
  if (type === 'bool') return Promise.resolve(value === 'true');
  return Promise.resolve(type === 'str' || type === 'graphql' ? value : `/${type}/${value}`);
}

function without(node: FlowNode, property: string): FlowNode {
  return Object.fromEntries(Object.entries(node).filter(([name]) => name !== property)) as FlowNode;
}

function caseOf(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'case' in result ? result.case : undefined;
}
