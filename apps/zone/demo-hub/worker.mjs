// Demo service `worker`: writes a line now and then until it is told to stop.
import { appendFileSync } from 'node:fs';

const [log] = process.argv.slice(2);
let jobs = 0;
const write = (line) => appendFileSync(log, `${new Date().toISOString()} ${line}\n`);
write(`INFO worker ${process.pid} starts`);
const timer = setInterval(() => write(`INFO job ${++jobs} done`), 2_000);
process.on('SIGTERM', () => {
  clearInterval(timer);
  write('INFO worker leaves');
});
