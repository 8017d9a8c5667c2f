import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { NodeTask } from './scope.ts';

/*
 * Every id and key of a run. Node names consist of letters, digits, `_` and `-`, so `.`, `:`, `/` and `#` are safe
 * separators.
 */

/** Returns a task's key, unique in its superstep: the node's id, with `#n` for the n-th element of a list. */
export function taskKey(node: string, index?: number): string {
  return index === undefined ? node : `${node}#${index}`;
}

/** Returns the key of one execution of a task; unlike the task key, it is unique in a graph's whole life. */
export function executionKey({ key, visit, retryRound }: Pick<NodeTask, 'key' | 'visit' | 'retryRound'>): string {
  return `${key}.${visit}.${retryRound}`;
}

/** A node task in the form that events use. */
export interface TaskReference {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
  readonly path?: readonly string[];
}

/** The keys of the enclosing subgraph tasks, outermost first, and the task's own key. */
export type TaskPath = readonly string[];

/** Returns the name of a task for people, such as `outer/pay[2]`. */
export function taskName(path: TaskPath): string {
  return path.map((key) => key.replace(/#(\d+)$/, '[$1]')).join('/');
}

/** The execution keys of the enclosing subgraph tasks, outermost first, and the task's own. */
export type ExecutionPath = readonly string[];

/** Builds a key only from the call's position in its run, so it is equal over replays and attempts. */
export function callKey(
  runId: string,
  around: ExecutionPath,
  { key, visit, retryRound, number }: Pick<NodeTask, 'key' | 'visit' | 'retryRound'> & { readonly number: number },
): string {
  return [runId, shortenId([...around, key].join('/')), visit, number, retryRound].join(':');
}

/** Removes the run's part of a call key, where the run is known; other keys stay unchanged. */
export function keyWithoutRun(runId: string, key: string): string {
  return key.startsWith(`${runId}:`) ? key.slice(runId.length) : key;
}

/** Restores a key from the result of `keyWithoutRun`. */
export function keyInRun(runId: string, key: string): string {
  return key.startsWith(':') ? runId + key : key;
}

/** Returns the key of the call that compensates another one. */
export function compensationKey(compensated: string): string {
  return `${compensated}:undo`;
}

/** Builds an intervention's id from its task, the visit and the failed call. */
export function interventionId(
  around: ExecutionPath,
  { key, visit }: Pick<NodeTask, 'key' | 'visit'>,
  call: number | null,
): string {
  const id = `${[...around, key].join('/')}:${visit}`;
  return call === null ? id : `${id}:${call}`;
}

/** Builds the id of the intervention for a compensation with an unknown outcome. */
export function unknownCompensationId({ task }: { readonly task: TaskReference }): string {
  const { path = [], node, visit, index } = task;
  return compensationKey(interventionId(path, { key: taskKey(node, index), visit }, null));
}

/** The run of an id, and the id's number among others of its kind. */
export interface NumberedId {
  readonly runId: string;
  /** Starts at 1. */
  readonly number: number;
}

export function checkpointId({ runId, number }: NumberedId): string {
  return `${runId}.c${number}`;
}

/** @returns `null` if it is not a checkpoint id */
export function parseCheckpointId(id: string): NumberedId | null {
  return parseNumbered(/^(.+)\.c([1-9]\d*)$/s, id);
}

export function approvalId({ runId, number }: NumberedId): string {
  return `${runId}.a${number}`;
}

/** @returns `null` if it is not an approval id */
export function parseApprovalId(id: string): NumberedId | null {
  return parseNumbered(/^(.+)\.a([1-9]\d*)$/s, id);
}

function parseNumbered(pattern: RegExp, id: string): NumberedId | null {
  const [, runId, number] = pattern.exec(id) ?? [];
  return runId === undefined ? null : { runId, number: Number(number) };
}

/** Numbers the messages of a graph that have no id. */
export function messageId(runId: string, around: ExecutionPath, number: number): string {
  return `${[runId, ...around].join('/')}.m${number}`;
}

/** The id of the timer for the run's deadline. */
export const DEADLINE_TIMER = 'deadline';

/** Returns the id of the timer that expires an approval. */
export function approvalTimerId(approval: string): string {
  return `${approval}.timeout`;
}

/** Returns the id of the timer that ends a wait. */
export function waitTimerId(execution: ExecutionPath): string {
  return `${shortenId(execution.join('/'))}.timer`;
}

/**
 * Returns the id of a node's deadline timer. The time in it tells a timer that fires during its cancellation from the
 * next.
 */
export function nodeDeadlineTimerId(execution: ExecutionPath, fireAt: number): string {
  return `${shortenId(execution.join('/'))}.deadline.${fireAt}`;
}

/** Temporal's smallest configuration allows ids of 255 bytes; the run's id and some numbers surround a path. */
const MAX_LENGTH = 160;

const PREFIX_LENGTH = 90;

/** Shortens a path for use in an id; a long one ends in a hash of the whole path. */
export function shortenId(path: string): string {
  if (path.length <= MAX_LENGTH) return path;
  const hash = bytesToHex(sha256(new TextEncoder().encode(path)));
  return `${path.slice(0, PREFIX_LENGTH)}~${hash}`;
}
