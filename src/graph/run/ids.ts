import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { NodeTask } from './scope.ts';

/*
 * Every id and key of a run. The names of nodes hold letters, digits, `_` and `-`, so that `.`, `:`, `/` and `#` part
 * them from what follows.
 */

/** Tells the tasks of a superstep apart: the node's id, with `#n` for the n-th element of a list. */
export function taskKey(node: string, index?: number): string {
  return index === undefined ? node : `${node}#${index}`;
}

/** One execution of a task: unlike its key, it is never the same twice in a graph. */
export function executionKey({ key, visit, retryRound }: Pick<NodeTask, 'key' | 'visit' | 'retryRound'>): string {
  return `${key}.${visit}.${retryRound}`;
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

/** Leads to one execution of a task: the execution keys of the subgraph tasks around it, outermost first. */
export type ExecutionPath = readonly string[];

/** Equal over replays and attempts: it is made of where the call stands in its run, and of nothing else. */
export function callKey(
  runId: string,
  around: ExecutionPath,
  { key, visit, retryRound, number }: Pick<NodeTask, 'key' | 'visit' | 'retryRound'> & { readonly number: number },
): string {
  return [runId, shortenId([...around, key].join('/')), visit, number, retryRound].join(':');
}

/** A key without its run, where that is known; a key that names no call of the run stays as it is. */
export function keyWithoutRun(runId: string, key: string): string {
  return key.startsWith(`${runId}:`) ? key.slice(runId.length) : key;
}

/** Reads what `keyWithoutRun` gives. */
export function keyInRun(runId: string, key: string): string {
  return key.startsWith(':') ? runId + key : key;
}

/** The key of the call that undoes another one. */
export function compensationKey(undone: string): string {
  return `${undone}:undo`;
}

/** Names an intervention by its task, the visit, and the call of it that is meant. */
export function interventionId(
  around: ExecutionPath,
  { key, visit }: Pick<NodeTask, 'key' | 'visit'>,
  call: number | null,
): string {
  const id = `${[...around, key].join('/')}:${visit}`;
  return call === null ? id : `${id}:${call}`;
}

/** Names the intervention for a compensation with an unknown outcome, by the task whose call it undoes. */
export function unknownCompensationId({ task }: { readonly task: TaskReference }): string {
  const { path = [], node, visit, index } = task;
  return compensationKey(interventionId(path, { key: taskKey(node, index), visit }, null));
}

/** The run of an id, and its number among those of its kind. */
export interface NumberedId {
  readonly runId: string;
  /** From 1. */
  readonly number: number;
}

export function checkpointId({ runId, number }: NumberedId): string {
  return `${runId}.c${number}`;
}

/** @returns `null`: it is not the id of a checkpoint */
export function parseCheckpointId(id: string): NumberedId | null {
  return parseNumbered(/^(.+)\.c([1-9]\d*)$/s, id);
}

export function approvalId({ runId, number }: NumberedId): string {
  return `${runId}.a${number}`;
}

/** @returns `null`: it is not the id of an approval */
export function parseApprovalId(id: string): NumberedId | null {
  return parseNumbered(/^(.+)\.a([1-9]\d*)$/s, id);
}

function parseNumbered(pattern: RegExp, id: string): NumberedId | null {
  const [, runId, number] = pattern.exec(id) ?? [];
  return runId === undefined ? null : { runId, number: Number(number) };
}

/** Messages of a graph that came without an id are numbered. */
export function messageId(runId: string, around: ExecutionPath, number: number): string {
  return `${[runId, ...around].join('/')}.m${number}`;
}

/** The timer of the run's deadline. */
export const DEADLINE_TIMER = 'deadline';

/** The timer by which an approval expires. */
export function approvalTimerId(approval: string): string {
  return `${approval}.timeout`;
}

/** The timer that ends a wait. */
export function waitTimerId(execution: ExecutionPath): string {
  return `${shortenId(execution.join('/'))}.timer`;
}

/** The timer of a node's deadline. Its time tells a timer that fires while it is canceled from the one that follows. */
export function nodeDeadlineTimerId(execution: ExecutionPath, fireAt: number): string {
  return `${shortenId(execution.join('/'))}.deadline.${fireAt}`;
}

/** Temporal takes ids of 255 bytes under its smallest configuration; a run's id and some numbers stand around a path. */
const MAX_LENGTH = 160;

const KEPT = 90;

/** A path in a run as part of an id: a long one ends in a hash of all of it. */
export function shortenId(path: string): string {
  if (path.length <= MAX_LENGTH) return path;
  const hash = bytesToHex(sha256(new TextEncoder().encode(path)));
  return `${path.slice(0, KEPT)}~${hash}`;
}
