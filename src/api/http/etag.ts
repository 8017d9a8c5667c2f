import { createHash } from 'node:crypto';
import type { RunView } from '../../graph/journal/index.ts';
import type { RunRecord } from '../../store/runs.ts';

/** What tells one answer about a run's state from another; at a checkpoint the values are always the same. */
type StateVersion = Pick<RunView, 'next' | 'pending'> & { readonly checkpoint: string | null };

/** A strong validator (RFC 9110, section 8.8.3) of a run's state as the API answers it. */
export function etagOf(runId: string, { checkpoint, next, pending }: StateVersion): string {
  const content = JSON.stringify([runId, checkpoint, next, pending]);
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/**
 * Whether a run's newest state is one that an `If-Match` header names (RFC 9110, section 13.1.1): a list of validators,
 * of which weak ones never match, or `*` for any state.
 */
export function isMatched(header: string, { id, view }: Pick<RunRecord, 'id' | 'view'>): boolean {
  if (header.trim() === '*') return true;
  const { checkpointId: checkpoint = null, next = [], pending = [] } = view ?? {};
  const current = etagOf(id, { checkpoint, next, pending });
  return header.split(',').some((named) => named.trim() === current);
}
