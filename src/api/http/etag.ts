import type { RunView } from '../../graph/journal/index.ts';
import { isRedacting, NOTHING_REDACTED } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import { ApiError } from './errors.ts';
import type { Fingerprints } from './fingerprints.ts';

/** The parts of a state that change while its run does; values at a checkpoint never change. */
type StateVersion = Pick<RunView, 'next' | 'pending'> & { readonly checkpoint: string | null };

/** A run's state as it is shown: with or without what is hidden of it. */
export interface ShownVersion {
  readonly runId: string;
  /** All of the state, as a view of it must not tell by its tag what it hides. */
  readonly state: StateVersion;
  readonly hidden: Redaction;
}

/** A strong validator (RFC 9110, section 8.8.3) of a run's state as the API answers it: another one for each view. */
export function etagOf(fingerprints: Fingerprints, { runId, state: { checkpoint, next, pending }, hidden }: ShownVersion): string {
  const view = isRedacting(hidden) ? 'redacted' : 'whole';
  return `"${fingerprints.of('state', [view, runId, checkpoint, next, pending]).slice(0, 32)}"`;
}

/** The different tags that a header may name. */
const MAX_TAGS = 100;

/**
 * Returns the strong entity tags of an `If-Match` header once each, without their quotes; weak ones never match.
 * @returns `null` for `*`, which any state matches
 * @throws ApiError 422 for too many
 */
export function strongTagsIn(header: string): readonly string[] | null {
  if (header.trim() === '*') return null;
  const tags = new Set(readTags(header).flatMap((tag) => /^"(.*)"$/.exec(tag)?.[1] ?? []));
  if (tags.size > MAX_TAGS) throw new ApiError('INVALID_REQUEST', `If-Match names ${MAX_TAGS} tags at most`);
  return [...tags];
}

/**
 * Compares an `If-Match` header (RFC 9110, section 13.1.1) with a run's newest state, in any view of it.
 * The header lists validators, of which weak ones never match, or is `*` for any state.
 */
export function isMatched(
  fingerprints: Fingerprints,
  header: string,
  { id, view, redaction }: Pick<RunRecord, 'id' | 'view' | 'redaction'>,
): boolean {
  const tags = strongTagsIn(header);
  if (!tags) return true;
  const { checkpointId: checkpoint = null, next = [], pending = [] } = view ?? {};
  const state = { checkpoint, next, pending };
  const current = new Set([NOTHING_REDACTED, redaction].map((hidden) => etagOf(fingerprints, { runId: id, state, hidden })));
  return tags.some((tag) => current.has(`"${tag}"`));
}

/** Returns the validators of a list; a quoted one may hold commas. A header that is no such list names none. */
function readTags(header: string): readonly string[] {
  const isList = /^[\s,]*$/.test(header.replaceAll(TAG, ''));
  return isList ? (header.match(TAG) ?? []) : [];
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
