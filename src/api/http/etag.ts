import { createHash } from 'node:crypto';
import type { RunView } from '../../graph/journal/index.ts';
import type { RunRecord } from '../../store/runs.ts';

/** The parts of a state that change while its run does; values at a checkpoint never change. */
type StateVersion = Pick<RunView, 'next' | 'pending'> & { readonly checkpoint: string | null };

/** A strong validator (RFC 9110, section 8.8.3) of a run's state as the API answers it. */
export function etagOf(runId: string, { checkpoint, next, pending }: StateVersion): string {
  const content = JSON.stringify([runId, checkpoint, next, pending]);
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/**
 * Returns the strong entity tags of an `If-Match` header, without their quotes; weak ones never match.
 * @returns `null` for `*`, which any state matches
 */
export function strongTagsIn(header: string): readonly string[] | null {
  if (header.trim() === '*') return null;
  return readTags(header).flatMap((tag) => /^"(.*)"$/.exec(tag)?.[1] ?? []);
}

/**
 * Compares an `If-Match` header (RFC 9110, section 13.1.1) with a run's newest state.
 * The header lists validators, of which weak ones never match, or is `*` for any state.
 */
export function isMatched(header: string, { id, view }: Pick<RunRecord, 'id' | 'view'>): boolean {
  const tags = strongTagsIn(header);
  if (!tags) return true;
  const { checkpointId: checkpoint = null, next = [], pending = [] } = view ?? {};
  const current = etagOf(id, { checkpoint, next, pending });
  return tags.some((tag) => `"${tag}"` === current);
}

/** Returns the validators of a list; a quoted one may hold commas. A header that is no such list names none. */
function readTags(header: string): readonly string[] {
  const isList = /^[\s,]*$/.test(header.replaceAll(TAG, ''));
  return isList ? (header.match(TAG) ?? []) : [];
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
