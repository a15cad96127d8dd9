// The server of large responses, in its own process. It responds to nothing else, so the nodes keep to the interface document.
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { trials } from './answer-trials.mjs';

const REFUSED = Buffer.from('{"errors":[{"message":"not what was agreed, no introspection"}]}');
const bodies = new Map(
  Object.values(trials).map(({ document, data }) => [
    document,
    Buffer.from(JSON.stringify({ data: data() })),
  ]),
);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { query } = JSON.parse(Buffer.concat(chunks));
    const body = bodies.get(query);
    response.writeHead(body ? 200 : 400, {
      'content-type': 'application/json',
      'content-length': (body ?? REFUSED).length,
    });
    response.end(body ?? REFUSED);
  });
});
// Longer than any measurement, so that the connections stay open on a busy machine.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send({ bytes: [...bodies.values()].map(({ length }) => length) }));
process.on('disconnect', () => process.exit());
