import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson } from '../values/compare-json.ts';
import type { Json, JsonObject } from '../values/json.ts';

/*
 * All ids and keys of a run. Node names consist of letters, digits, `_` and `-`, so `.`, `:`, `/` and `#` are safe
 * separators.
 */

declare const textKind: unique symbol;

/**
 * A text of one kind. Any plain text is assignable to it, but not a text of another kind, so keys of different kinds
 * can't be mixed up.
 */
type TextOfKind<Kind extends string> = string & { readonly [textKind]?: Kind };

/** The key of a task, unique in its superstep: the node's id, with `#n` for the n-th element of a list. */
export type TaskKey = TextOfKind<'task'>;

/** The key of one execution of a task. Unlike the task key, it is unique over all supersteps of a graph. */
type ExecutionKey = TextOfKind<'execution'>;

type NodeId = TextOfKind<'node'>;

/** The keys of the enclosing subgraph tasks, outermost first, and the task's own key. */
export type TaskPath = readonly TaskKey[];

/** The execution keys of the enclosing subgraph tasks, outermost first, and the task's own. */
export type ExecutionPath = readonly ExecutionKey[];

/** The ids of the nodes around a graph, outermost first; empty for the run's own graph. */
export type NodePath = readonly NodeId[];

/** The fields of a task that identify one of its executions in its graph. */
interface ExecutionFields {
  readonly key: TaskKey;
  readonly visit: number;
  readonly retryRound: number;
}

export function taskKey(node: string, index?: number): TaskKey {
  return index === undefined ? node : `${node}#${index}`;
}

export function executionKey({ key, visit, retryRound }: ExecutionFields): ExecutionKey {
  return `${key}.${visit}.${retryRound}`;
}

/** Returns the node of a task key or an execution key. */
function nodeOfKey(key: TaskKey | ExecutionKey): NodeId {
  return key.replace(/(?:#\d+)?(?:\.\d+\.\d+)?$/, '');
}

/** A node task in the form that events use. */
export interface TaskReference {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
  readonly path?: NodePath;
}

/** Returns the address of a task's node, such as `outer/pay`. */
export function taskAddress({ node, path = [] }: TaskReference): string {
  return [...path, node].join('/');
}

/** Returns the ids of the nodes around a task, outermost first. */
export function nodesAround(path: TaskPath): NodePath {
  return path.slice(0, -1).map(nodeOfKey);
}

/** Returns the name of a task for people, such as `outer/pay[2]`. */
export function taskName(path: TaskPath): string {
  return path.map((key) => key.replace(/#(\d+)$/, '[$1]')).join('/');
}

/**
 * Builds a key only from the call's position in its run, so that it is the same in all replays and attempts.
 * @param number distinguishes the calls of one execution
 */
export function callKey(
  runId: string,
  around: ExecutionPath,
  { key, visit, retryRound }: ExecutionFields,
  number: number,
): string {
  return [runId, shortenId([...around, key].join('/')), visit, number, retryRound].join(':');
}

/** The parts of a call key. */
export interface CallKeyParts {
  readonly runId: string;
  /** The task's path; shortened if it is long (`shortenId`). */
  readonly task: string;
  readonly visit: number;
  readonly number: number;
  readonly retryRound: number;
}

/** @returns `null` if it is not a call key */
export function parseCallKey(key: string): CallKeyParts | null {
  const [, runId, task, ...numbers] = /^([^:]+):([^:]+):(\d+):(\d+):(\d+)$/s.exec(key) ?? [];
  const [visit, number, retryRound] = numbers.map(Number);
  if (runId === undefined || task === undefined) return null;
  if (visit === undefined || number === undefined || retryRound === undefined) return null;
  return { runId, task, visit, number, retryRound };
}

/**
 * Returns the task that a call was made for.
 * @returns `null` if the key is that of a compensation, or its path is shortened
 */
export function taskOfCall(callKey: string): TaskReference | null {
  const position = parseCallKey(callKey);
  if (!position || position.task.includes(SHORTENED)) return null;
  const keys = position.task.split('/');
  const path = keys.slice(0, -1).map(nodeOfKey);
  const [node = '', index] = keys.slice(-1).flatMap((key) => key.split('#'));
  return { path, node, visit: position.visit, ...(index !== undefined && { index: Number(index) }) };
}

/** Returns the key of the call that compensates another one. */
export function compensationKey(compensated: string): string {
  return `${compensated}:undo`;
}

/** True for the key of a call that compensates another one. */
export function isCompensationKey(key: string): boolean {
  return key.endsWith(':undo');
}

/**
 * Returns the key of the call that reads the arguments of another one. The key depends on the arguments, so the answer
 * to one reading is never used for another.
 */
export function readingKey(call: string, args: Json): string {
  return `${call}:args:${bytesToHex(sha256(new TextEncoder().encode(canonicalJson(args)))).slice(0, 16)}`;
}

/** True if two paths lead to one task. */
export function isSamePath(one: TaskPath, other: TaskPath): boolean {
  return one.length === other.length && one.every((key, depth) => key === other[depth]);
}

/** Builds an intervention's id from its task, the visit and the failed call. */
export function interventionId(
  around: ExecutionPath,
  { key, visit }: Omit<ExecutionFields, 'retryRound'>,
  call: number | null,
): string {
  const id = visitId([...around, key], visit);
  return call === null ? id : `${id}:${call}`;
}

/** True if the payload of a control names this intervention by its node or id, or names none. */
export function mayMeanIntervention(payload: JsonObject, node: string, id: string): boolean {
  const fits = (named: Json | undefined, actual: string): boolean => typeof named !== 'string' || named === actual;
  return fits(payload['node'], node) && fits(payload['id'], id);
}

/** Returns the node of an intervention id. @returns `null` if it is about a compensation, or not an intervention id */
export function nodeOfIntervention(id: string): Pick<TaskReference, 'node' | 'path'> | null {
  const [, tasks] = /^([^:]+):\d+(?::\d+)?$/s.exec(id) ?? [];
  if (tasks === undefined) return null;
  const nodes = tasks.split('/').map(nodeOfKey);
  return { node: nodes.at(-1) ?? '', path: nodes.slice(0, -1) };
}

function visitId(path: readonly string[], visit: number): string {
  return `${path.join('/')}:${visit}`;
}

/** Builds the id of the intervention for a compensation with an unknown outcome. */
export function unknownCompensationId({ path = [], node, visit, index }: TaskReference): string {
  return compensationKey(visitId([...path, taskKey(node, index)], visit));
}

/** The run and the number in an id. */
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

/** Returns the number of an approval in its run, by its id. */
export function approvalNumber(id: string): number {
  return parseApprovalId(id)?.number ?? 0;
}

function parseNumbered(pattern: RegExp, id: string): NumberedId | null {
  const [, runId, number] = pattern.exec(id) ?? [];
  return runId === undefined ? null : { runId, number: Number(number) };
}

/** Returns the id of a graph's message that had none, by its number. */
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
 * Returns the id of a node's deadline timer. It contains the time, so a timer that fires during its cancellation is not
 * confused with the next one.
 */
export function nodeDeadlineTimerId(execution: ExecutionPath, fireAt: number): string {
  return `${shortenId(execution.join('/'))}.deadline.${fireAt}`;
}

/**
 * In bytes. Temporal's smallest configuration allows ids of 255 bytes, and the path is surrounded by the run's id and
 * some numbers.
 */
const MAX_PATH_BYTES = 160;

const PREFIX_LENGTH = 90;
/** Separates the beginning of a shortened path from its hash. */
const SHORTENED = '~';

/** Shortens a path for use in an id; a long one ends in a hash of the whole path. */
export function shortenId(path: string): string {
  if (path.length <= MAX_PATH_BYTES) return path;
  const hash = bytesToHex(sha256(new TextEncoder().encode(path)));
  return path.slice(0, PREFIX_LENGTH) + SHORTENED + hash;
}
