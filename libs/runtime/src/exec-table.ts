import {
  ExecRequest,
  OpError,
  statusOfCode,
  toErrorBody,
  toolOf,
  validator,
  type ExecReply,
} from '@adaos/contracts';
import { performance } from 'node:perf_hooks';

/**
 * A root service's tools: arguments were validated against the contract by router, the request says for whom. `never`, because each tool
 * names the arguments of its own contract and no one type is all of them; which tool takes which stands in the contract, not in a type.
 */
export type ExecTable = Readonly<Record<string, (args: never, request: ExecRequest) => unknown>>;

const checkExec = validator<ExecRequest>(ExecRequest);

/** Serves `<service>.exec`: runs the tool and answers an ExecReply; a refusal is a value, so that router records it like any other. */
export function execHandler(adapter: string, table: ExecTable) {
  return async (body: unknown): Promise<ExecReply> => {
    const request = checkExec(body);
    const run = Object.hasOwn(table, request.tool_id) ? table[request.tool_id] : undefined;
    if (!run) throw new OpError('tool_not_found');
    const began = performance.now();
    const base = {
      adapter,
      redactions: [],
      provenance: { source: 'root_local' as const, adapter, complete: true },
    };
    try {
      // Router's validator is the proof that these arguments are the ones this tool declares.
      const result = (await run(request.arguments as never, request)) as Record<string, unknown>;
      if (Buffer.byteLength(JSON.stringify(result)) > toolOf(request.tool_id).contract.max_result_bytes)
        throw new OpError('result_too_large');
      return { ...base, status: 'succeeded', result, adapter_ms: performance.now() - began };
    } catch (error) {
      const body = toErrorBody(error);
      return {
        ...base,
        status: statusOfCode(body.code),
        error: body,
        adapter_ms: performance.now() - began,
      };
    }
  };
}
