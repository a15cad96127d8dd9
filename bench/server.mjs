// The server for both nodes, in its own process. It is cheap, and accepts only the one request of the benchmark, so that both
// nodes send the same.
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';

const QUESTION = '{"query":"{ systemStatus { status } }"}';
const ANSWER = '{"data":{"systemStatus":{"status":"OK"}}}';
const JSON_TYPE = 'application/json';

let answered = 0;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { accept, 'content-type': type } = request.headers;
    const expected =
      request.method === 'POST' &&
      request.url === '/graphql' &&
      accept === JSON_TYPE &&
      type === JSON_TYPE &&
      String(Buffer.concat(chunks)) === QUESTION;
    if (expected) answered += 1;
    // It must say so: the package takes no other error for a server without introspection.
    const text = expected ? ANSWER : '{"errors":[{"message":"not what was agreed, no introspection"}]}';
    response.writeHead(expected ? 200 : 400, {
      'content-type': JSON_TYPE,
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
// Longer than any block of messages, so that the idle node's connections stay open.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));

process.on('message', () => process.send({ answered }));
process.on('disconnect', () => process.exit());
