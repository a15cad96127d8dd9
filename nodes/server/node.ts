import type { NodeAPI, NodeDef } from 'node-red';
import { pathRowIn, serverDefaults } from '../../src/contract/server';
import { textIn } from '../../src/contract/values';
import { StashError } from '../../src/errors';
import {
  addActivityRoute,
  addCapabilitiesRoute,
  addClearErrorsRoute,
  addResumeRoute,
  addFindRoute,
  addPictureRoute,
  addPlayerRoute,
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
  type ServerProperties,
  settingsOf,
  take,
} from '../../src/flow';
import { diagnose, findStash } from '../../src/operations/connection-test';
import { capabilities, itemChoices } from '../../src/operations/dialogs';
import { commandPlayers } from '../../src/operations/playback';
import { pluginIn } from '../../src/operations/plugin';
import { stop } from '../../src/operations/tasks';
import { Server, type ServerOptions } from '../../src/server';

type ServerDefinition = NodeDef & ServerProperties;

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
  addQuestionRoute(RED, 'plugin', pluginIn, 'write');
  addPictureRoute(RED);
  addActivityRoute(RED);
  addStopRoute(RED, stop);
  addClearErrorsRoute(RED);
  addResumeRoute(RED);
  addPlayerRoute(RED, commandPlayers);
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
      ...settingsOf(RED, definition),
      url,
      ...access,
      ...networkOf(RED, network),
      pathMap,
      rateLimiterStore: contextStore(RED, () => node, 'rateLimiter'),
      jobStore: contextStore(RED, () => node, 'jobs'),
      abandoned: (job) => {
        reportAbandoned(RED, node, job);
      },
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
