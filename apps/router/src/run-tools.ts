import { OpError, type ExecRequest, type Grant } from '@adaos/contracts';
import type { ExecTable } from '@adaos/runtime';
import type { RunRows } from '@adaos/store';

/** How a run stands, for operators. Its result is its lease's alone. */
export const runTools = ({ zone, rows }: { zone: string; rows: RunRows }): ExecTable => ({
  'operations.get_run': async ({ run_id }: { run_id: string }, request: ExecRequest) => {
    const { subnet_id, target_id } = request.grant as Grant;
    const scope = {
      zone,
      ...(subnet_id !== null && { subnet_id }),
      ...(target_id !== null && { target_id }),
    };
    const stored = await rows.get(run_id, scope);
    if (!stored) throw new OpError('invalid_argument', { path: '/run_id' }, 'No such run.');
    const { outcome } = stored;
    return { run: stored.run, status: outcome?.status ?? null, error: outcome?.error ?? null };
  },
});
