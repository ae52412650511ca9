import type { ExecRequest, SessionLease } from '@adaos/contracts';
import type { Credential, CredentialKind, LeaseSummary } from '@adaos/store';
import { scopeOf } from './issue.js';
import type { SessionParts } from './parts.js';

export interface ListArguments {
  status?: SessionLease['status'];
  active_only?: boolean;
  audience?: string;
  capability_profile?: string;
  limit?: number;
  cursor?: string;
}

export interface Listing {
  items: Credential[];
  next_cursor: string | null;
  /** Of everything in reach, whatever the filter; on a first page only. */
  summary: LeaseSummary | null;
}

/** Credentials of a kind that the caller may see. `id`: the one of that id, or none. */
export async function listCredentials(
  parts: SessionParts,
  kind: CredentialKind,
  args: ListArguments,
  request: ExecRequest,
  id?: string,
): Promise<Listing> {
  const scope = scopeOf(parts.zone, kind, request);
  if (id !== undefined) {
    const one = await parts.leases.get(id, scope);
    return { items: one ? [one] : [], next_cursor: null, summary: null };
  }
  const [page, summary] = await Promise.all([
    parts.leases.list({ ...args, ...scope }),
    args.cursor === undefined ? parts.leases.summary(scope) : null,
  ]);
  return { ...page, summary };
}
