import type { NodeAPI, NodeDef } from 'node-red';
import { pathRowIn, serverDefaults } from '../../src/contract/server';
import { numberIn, textIn } from '../../src/contract/values';
import { StashError } from '../../src/errors';
import {
  addActivityRoute,
  addCapabilitiesRoute,
  addClearErrorsRoute,
  addResumeRoute,
  addFindRoute,
  addPictureRoute,
  addQuestionRoute,
  addStopRoute,
  addTestRoute,
  checkVariables,
  contextStore,
  leave,
  listAsDeployed,
  listAsGone,
  networkOf,
  type NodeCredentials,
  reportAbandoned,
  type ServerNode,
  take,
} from '../../src/flow';
import { diagnose, findStash } from '../../src/operations/connection-test';
import { capabilities, itemChoices } from '../../src/operations/dialogs';
import { stop } from '../../src/operations/tasks';
import { Server, type ServerOptions } from '../../src/server';

/** The properties in a flow file, any of which may be missing or wrong. The dialog saves numbers as text. */
type ServerDefinition = NodeDef & Readonly<Record<keyof typeof serverDefaults, unknown>>;

/** stash-server: the address of one server, the credentials for it, and the connection that its nodes share. */
export default (RED: NodeAPI): void => {
  function StashServer(this: ServerNode, definition: ServerDefinition): void {
    RED.nodes.createNode(this, definition);
    this.url = textIn(definition.url ?? serverDefaults.url);
    this.network = {
      tls: textIn(definition.tls ?? serverDefaults.tls),
      proxy: textIn(definition.proxy ?? serverDefaults.proxy),
    };
    const opened = openServer(RED, this, definition);

    this.connection = () => {
      if (opened instanceof StashError) throw opened;
      return opened;
    };
    listAsDeployed(this);
    this.on('close', (isRemoved: boolean, done: () => void) => {
      leave(RED, this, opened, () => {
        close(opened, isRemoved);
        listAsGone(this);
      });
      done();
    });
  }

  addTestRoute(RED, diagnose);
  addFindRoute(RED, findStash);
  addCapabilitiesRoute(RED, capabilities);
  addQuestionRoute(RED, 'items', itemChoices);
  addPictureRoute(RED);
  addActivityRoute(RED);
  addStopRoute(RED, stop);
  addClearErrorsRoute(RED);
  addResumeRoute(RED);
  RED.nodes.registerType<ServerNode, ServerDefinition, object, NodeCredentials>('stash-server', StashServer, {
    credentials: {
      apiKey: { type: 'password' },
      username: { type: 'text' },
      password: { type: 'password' },
      headers: { type: 'password' },
    },
  });
};

/**
 * Returns the server of a node, the same as before a deploy if it has the same address; or the error that prevents it: a constructor
 * that throws would leave no node to report it.
 */
function openServer(RED: NodeAPI, node: ServerNode, definition: ServerDefinition): Server | StashError {
  const before = take(RED, node);
  const { id, type, name, url, network, credentials } = node;
  const access = {
    auth: textIn(definition.auth ?? serverDefaults.auth),
    apiKey: textIn(credentials.apiKey),
    username: textIn(credentials.username),
    password: textIn(credentials.password),
    headers: textIn(credentials.headers),
  };
  try {
    const pathMap = [definition.pathMap ?? serverDefaults.pathMap].flat().map(pathRowIn);
    checkVariables({ url, ...access, pathMap });
    const options = {
      name: textIn(definition.name),
      url,
      ...access,
      ...networkOf(RED, network),
      pathMap,
      pause: numberIn(definition.pause ?? serverDefaults.pause),
      retryFor: numberIn(definition.retryFor ?? serverDefaults.retryFor) * 60,
      maxQueued: maxQueued(RED),
      rateLimiterStore: contextStore(RED, () => node, 'rateLimiter'),
      jobStore: contextStore(RED, () => node, 'jobs'),
      abandoned: (job) => {
        reportAbandoned(RED, node, job);
      },
      timeout: numberIn(definition.timeout ?? serverDefaults.timeout),
      lookupTimeout: numberIn(definition.lookupTimeout ?? serverDefaults.lookupTimeout),
      backupTimeout: numberIn(definition.backupTimeout ?? serverDefaults.backupTimeout),
      log: (msg: string) => {
        // Like node.debug, but without the stack trace that it takes at any log level.
        RED.log.log({ level: RED.log.DEBUG, id, type, ...(name && { name }), msg });
      },
    } satisfies ServerOptions;
    if (before instanceof Server && before.configure(options)) return before;
    close(before, true);
    return new Server(options);
  } catch (error) {
    close(before, false);
    if (error instanceof StashError) return error;
    throw error;
  }
}

/** Ends what is under way at a server. @param isForGood as of `Server.close`. */
function close(opened: unknown, isForGood: boolean): void {
  if (opened instanceof Server) opened.close(isForGood).catch(() => undefined);
}

/** Returns the limit of settings.js for queued messages, like the core nodes, but never none. */
function maxQueued(RED: NodeAPI): number | undefined {
  const { nodeMessageBufferMaxLength: most } = RED.settings as { nodeMessageBufferMaxLength?: unknown };
  return typeof most === 'number' && most > 0 ? most : undefined;
}
