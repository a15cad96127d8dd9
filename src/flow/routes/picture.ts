import type { NodeAPI } from 'node-red';
import { KeyedLock } from '../../async';
import { editorCall } from '../../call';
import { picturedIn } from '../../contract/pictures';
import { StashError } from '../../errors';
import { isString } from '../../guards';
import type { Server } from '../../server';
import { withServer } from '../undeployed-server';
import { addPost, type Body, bounded, type EditorResponse, untilGone } from './add-route';

/** The largest picture that a dialog shows, in bytes. */
const LARGEST = 1024 * 1024;

/** The most pictures of one server that are read at a time. */
const AT_A_TIME = 2;

/** How long a browser keeps a picture, in seconds: while people type. The node may get another address, with other scenes. */
const MAX_AGE = 60;

/** The types that browsers show, without SVG, which is a document. */
const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];

/**
 * Adds the route `/stash-server/picture?id=<server>&path=<path>`: the picture of an item, for people whose browser reaches
 * Node-RED but not Stash. It responds with 204 if there is none. It requires no more than the permission to view flows, because it sends
 * requests only to deployed servers, and only for pictures. For another server, the same is posted, with the content of its dialog.
 */
export function addPictureRoute(RED: NodeAPI): void {
  const lock = new KeyedLock<Server>(AT_A_TIME);

  /** Returns the picture when its turn has come; null if there is none. */
  const read = bounded(
    async ({ id, content, path }: Body, signal: AbortSignal) => {
      const pictured = isString(path) ? picturedIn(path) : undefined;
      if (!pictured) return null;
      const picture = await withServer(RED, { id, content }, (server) =>
        lock.run(server, signal, () => server.media.picture(pictured, editorCall(signal), LARGEST)),
      );
      return picture && TYPES.includes(picture.type) ? picture : null;
    },
    ({ id }) => id,
  );

  const respond = (question: Body, response: EditorResponse) => {
    // Nobody but the editor shows it: neither another site, nor a page of its own, in which it could be a document.
    response.set({
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    read(question, untilGone(response))
      .then(
        (picture) => {
          if (!picture) return response.sendStatus(204);
          const { content, type } = picture;
          response.set({ 'content-type': type });
          // Nothing of a server that is not deployed stays.
          if (question['content'] === undefined)
            response.set({ 'cache-control': `private, max-age=${MAX_AGE}` });
          response.vary('Authorization');
          return response.send(content);
        },
        (error: unknown) => {
          if (error instanceof StashError) return response.sendStatus(204);
          RED.log.error(error);
          return response.sendStatus(500);
        },
      )
      // Express throws if a middleware in settings.js has already responded.
      .catch((error: unknown) => RED.log.error(error));
  };

  RED.httpAdmin.get(
    '/stash-server/picture',
    RED.auth.needsPermission('stash-server.read'),
    (request, response) => {
      const { id, path } = request.query;
      respond({ id, path }, response);
    },
  );
  addPost(RED, { name: 'picture', permission: 'read' }, respond);
}
