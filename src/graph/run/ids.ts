import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { NodeTask } from './scope.ts';
/** What tells the tasks of a superstep apart: the node's id, with `#n` for the n-th element of a list. */
export function taskKey(node: string, index?: number): string {
  return index === undefined ? node : `${node}#${index}`;
}

/** The timer of the run's deadline. */
export const DEADLINE_TIMER = 'deadline';

export function executionKey({ key, visit, retryRound }: NodeTask): string {
  return `${key}.${visit}.${retryRound}`;
}

/** What an intervention is named by: the task's place, which visit it is, and which of its calls. */
export function interventionId(
  trail: readonly string[],
  { key, visit }: Pick<NodeTask, 'key' | 'visit'>,
  call: number | null,
): string {
  const id = `${[...trail, key].join('/')}:${visit}`;
  return call === null ? id : `${id}:${call}`;
}

/** A node task as events name it. */
export interface TaskReference {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
  readonly path?: readonly string[];
}

/** Leads to a node task: the keys of the subgraph tasks around it, outermost first, then its own. */
export type TaskPath = readonly string[];

/** Equal over replays and attempts: it is made of where the call stands in its run, and of nothing else. */
export function callKey(
  runId: string,
  trail: readonly string[],
  { key, visit, retryRound, number }: Pick<NodeTask, 'key' | 'visit' | 'retryRound'> & { readonly number: number },
): string {
  return [runId, shortenId([...trail, key].join('/')), visit, number, retryRound].join(':');
}

/** Temporal takes ids of 255 bytes under its smallest configuration; a run's id and some numbers stand around a place. */
const MAX_LENGTH = 160;

const KEPT = 90;

/** A place in a run as part of an id: a long one ends in a hash of all of it. */
export function shortenId(place: string): string {
  if (place.length <= MAX_LENGTH) return place;
  const hash = bytesToHex(sha256(new TextEncoder().encode(place)));
  return `${place.slice(0, KEPT)}~${hash}`;
}
