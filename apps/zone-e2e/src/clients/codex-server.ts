import { startClient, type Desk } from './client-process.js';

type Params = Record<string, unknown>;

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** `codex app-server`: what Codex's own editor extensions talk to, JSON-RPC in lines. */
export interface CodexServer {
  ask<T>(method: string, params: Params): Promise<T>;
  stderr(): string;
  stop(): Promise<void>;
}

/** Starts it and shakes hands. Needs no login. */
export async function codexServer(
  bin: string,
  at: Desk,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<CodexServer> {
  const { child, output, closed, kill } = startClient(bin, ['app-server', ...flags], { desk: at, env });
  const waiting = new Map<number, (answer: Answer) => void>();
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines.filter(Boolean)) {
      const message = JSON.parse(line) as Answer & { id?: number; method?: string };
      // It has questions of its own, with ids of its own.
      if (message.id !== undefined && !message.method) waiting.get(message.id)?.(message);
    }
  });
  let last = 0;
  const send = (message: Params) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async <T>(method: string, params: Params): Promise<T> => {
    const id = ++last;
    const answered = new Promise<Answer>((done) => waiting.set(id, done));
    send({ id, method, params });
    // The process is killed at its deadline, so this ends.
    const answer = await Promise.race([answered, closed]);
    if (answer === null || typeof answer === 'number')
      throw new Error(`codex ended at ${method}: ${output.stderr.slice(-2_000)}`);
    if (answer.error) throw new Error(answer.error.message);
    return answer.result as T;
  };
  await ask('initialize', {
    clientInfo: { name: 'e2e', title: null, version: '1' },
    capabilities: { experimentalApi: true },
  });
  send({ method: 'initialized' });
  return {
    ask,
    stderr: () => output.stderr,
    async stop() {
      kill();
      await closed;
    },
  };
}
