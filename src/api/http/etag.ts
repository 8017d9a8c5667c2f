import type { RunView } from '../../graph/journal/index.ts';
import { isRedacting, NOTHING_REDACTED } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import { ApiError } from './errors.ts';
import type { Fingerprints } from './fingerprints.ts';

/** The parts of a state that change while the run is active; values at a checkpoint never change. */
export type StateVersion = Pick<RunView, 'next' | 'pending'> & { readonly checkpoint: string | null };

/** A run's state in one view: complete or redacted. */
export interface StateView {
  readonly runId: string;
  /** The complete state, so that the tag of a redacted view reveals nothing about hidden values. */
  readonly state: StateVersion;
  readonly hidden: Redaction;
}

/**
 * Returns the strong validator (RFC 9110, section 8.8.3) of a run's state. The complete and the redacted view have
 * different validators.
 */
export function stateEtagOf(
  fingerprints: Fingerprints,
  { runId, state: { checkpoint, next, pending }, hidden }: StateView,
): string {
  const view = isRedacting(hidden) ? 'redacted' : 'whole';
  return `"${fingerprints.of('state', [view, runId, checkpoint, next, pending]).slice(0, 32)}"`;
}

/** The most different tags that one header may contain. */
const MAX_TAGS = 100;

/**
 * Returns the distinct strong entity tags of an `If-Match` header without their quotes. Weak tags are left out, as they
 * never match.
 * @returns `null` for `*`, which matches any state
 * @throws ApiError 422 for more than `MAX_TAGS`
 */
export function strongTagsIn(header: string): readonly string[] | null {
  if (header.trim() === '*') return null;
  const tags = new Set(entityTagsIn(header).flatMap((tag) => /^"(.*)"$/.exec(tag)?.[1] ?? []));
  if (tags.size > MAX_TAGS) throw new ApiError('INVALID_REQUEST', `If-Match names ${MAX_TAGS} tags at most`);
  return [...tags];
}

/**
 * Compares an `If-Match` header (RFC 9110, section 13.1.1) with a run's newest state, in either view. Weak validators
 * never match; `*` matches any state.
 */
export function isStateMatched(
  fingerprints: Fingerprints,
  header: string,
  { id, redaction }: Pick<RunRecord, 'id' | 'redaction'>,
  state: StateVersion,
): boolean {
  const tags = strongTagsIn(header);
  if (!tags) return true;
  const current = new Set(
    [NOTHING_REDACTED, redaction].map((hidden) => stateEtagOf(fingerprints, { runId: id, state, hidden })),
  );
  return tags.some((tag) => current.has(`"${tag}"`));
}

/** Returns the validators of the list; a quoted validator may contain commas. A malformed header yields none. */
function entityTagsIn(header: string): readonly string[] {
  const isList = /^[\s,]*$/.test(header.replaceAll(TAG, ''));
  return isList ? (header.match(TAG) ?? []) : [];
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
