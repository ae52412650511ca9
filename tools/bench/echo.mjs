// The yardstick: a bare node:http server that parses a JSON-RPC body and answers a JSON of the size of a governed read.
import { createServer } from 'node:http';

const filler = 'x'.repeat(Number(process.argv[2] ?? 1_500));
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: { hub_id: 'demo', filler } });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
