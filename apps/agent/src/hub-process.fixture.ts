// A hub with its broker and its root in a process of its own, so that a test can kill the agent: `node <bundle> <dir>`, calls by IPC.
import { idle, startHub } from './hub.fixture.js';

const dir = process.argv[2]!;
const script = `require('fs').appendFileSync('web.starts', process.pid + '\\n'); setInterval(() => {}, 1000)`;
const web = idle('web', { argv: [process.execPath, '-e', script], observe_ms: 1_000 });
const hub = await startHub({ dir, config: () => ({ services: [web] }) });

process.on(
  'message',
  ({ id, tool_id, args, request_id }: { id: number; tool_id: string; args: object; request_id: string }) => {
    hub.call(tool_id, args, { request_id }).then(
      (reply) => process.send!({ id, reply }),
      (error: unknown) => process.send!({ id, error: String(error) }),
    );
  },
);
process.on('disconnect', () => void hub.stop().then(() => process.exit(0)));
process.send!({ ready: true });
