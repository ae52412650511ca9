import type { PolicyVersion } from '@adaos/contracts';
import type { Context } from '../context.js';
import { withNext } from '../failure.js';
import { toned } from '../screen/screen.js';
import { readGiven, withFaults } from './policy-files.js';

export interface PutOptions {
  readonly note?: string;
  readonly expect?: string;
  readonly dryRun?: boolean;
}

interface Put {
  readonly revision: string;
  readonly version: PolicyVersion | null;
  readonly rules: readonly string[];
}

export async function putPolicies(context: Context, file: string, options: PutOptions): Promise<void> {
  const { api, json, output, screen } = context;
  const text = readGiven(context, file);
  const { note, expect, dryRun } = options;
  const answer = await withNext(
    { conflict: 'See what is in force: adaosctl policy show' },
    api
      .post<Put>('/policies', {
        text,
        ...(note !== undefined && { note }),
        ...(expect !== undefined && { expected_version_id: expect === 'none' ? '' : expect }),
        ...(dryRun && { dry_run: true }),
      })
      .catch((error: unknown) => {
        throw withFaults(error);
      }),
  );
  if (json) return output.document(answer);
  const rules = `${answer.rules.length} ${answer.rules.length === 1 ? 'rule' : 'rules'} of the zone`;
  if (!answer.version) {
    return screen.wrapped([toned('ok', 'Valid.'), `${rules}; nothing was changed.`]);
  }
  screen.wrapped([
    toned('ok', 'In force:'),
    toned('accent', answer.version.version_id),
    `${rules}, revision ${answer.revision}.`,
  ]);
  output.remark('The version before stays: adaosctl policy show, adaosctl policy rollback <version-id>');
}

export async function rollbackPolicies(
  { api, json, output, screen }: Context,
  version_id: string,
  note: string | undefined,
): Promise<void> {
  const answer = await withNext(
    { target_not_found: 'See which versions there are: adaosctl policy show' },
    api
      .post<{ revision: string; version: PolicyVersion }>('/policies/rollback', {
        version_id,
        ...(note !== undefined && { note }),
      })
      .catch((error: unknown) => {
        throw withFaults(error);
      }),
  );
  if (json) return output.document(answer);
  screen.wrapped([
    toned('ok', 'In force:'),
    toned('accent', answer.version.version_id),
    `with the text of ${version_id}, revision ${answer.revision}.`,
  ]);
}
