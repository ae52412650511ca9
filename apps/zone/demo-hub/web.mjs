// Demo service `web`: answers /health and /, writes an access log. Its log holds made-up secrets, so that masking can be seen.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, log] = process.argv.slice(2);
const write = (line) => appendFileSync(log, `${new Date().toISOString()} ${line}\n`);

const server = createServer((request, response) => {
  write(`INFO ${request.method} ${request.url} 200`);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, pid: process.pid }));
});
server.on('error', (error) => {
  write(`ERROR ${error.code}`);
  process.exit(1);
});
server.listen(Number(port), '127.0.0.1', () => {
  write(`INFO web ${process.pid} listens on ${port}, commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904`);
  write('DEBUG upstream Authorization: Bearer demo-FAKE-token-3f9c1e7a5b2d');
  write('DEBUG database postgres://app:hunter2@db.internal:5432/app?sslmode=require');
  console.log('web is up');
});
process.on('SIGTERM', () => {
  write('INFO web leaves');
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
