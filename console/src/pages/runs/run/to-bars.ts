import { addressOf, isTaskEvent, taskKey, taskName } from '../data/history.ts';
import type { RunEvent, TaskEvent } from '../data/history.ts';
import type { TaskStatus } from '../graph/node-states.ts';

/** A call or a wait within a node task. Times are in milliseconds; `toMs` is `null` while it lasts. */
export interface BarPart {
  readonly kind: 'call' | 'wait';
  readonly label: string;
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly hasFailed: boolean;
  /** The number of attempts of a call; 0 for waits, and until it is known. */
  readonly attempts: number;
  /** The idempotency key of a call, or the id of an approval. */
  readonly key: string;
}

/** A node task, or a compensating call, on a timeline. */
export interface Bar {
  readonly key: string;
  readonly name: string;
  readonly address: string;
  readonly visit: number;
  readonly index: number | null;
  readonly status: TaskStatus;
  readonly fromMs: number;
  readonly toMs: number | null;
  /** True if the whole task is a wait. */
  readonly isWait: boolean;
  readonly parts: readonly BarPart[];
}

interface OpenBar extends Omit<Bar, 'status' | 'toMs' | 'parts'> {
  status: TaskStatus;
  toMs: number | null;
  readonly parts: BarPart[];
}

/**
 * Creates a bar for each node task of a history, ordered by start.
 * @param waitNodes the addresses of nodes that only wait for an event or a time
 */
export function toBars(events: readonly RunEvent[], waitNodes: ReadonlySet<string> = new Set()): readonly Bar[] {
  const bars = new Map<string, OpenBar>();
  for (const event of events) {
    const atMs = Date.parse(event.at);
    if (isTaskEvent(event)) takeTaskEvent({ bars, waitNodes }, event, atMs);
    else if (event.type === 'run.failed' || event.type === 'run.canceled') closeAll(bars, atMs);
  }
  return [...bars.values()];
}

interface BarSource {
  readonly bars: Map<string, OpenBar>;
  readonly waitNodes: ReadonlySet<string>;
}

function takeTaskEvent({ bars, waitNodes }: BarSource, event: TaskEvent, atMs: number): void {
  const isCompensation = COMPENSATIONS.has(event.type);
  const key = `${taskKey(event)}${isCompensation ? ' undo' : ''}`;
  const bar = bars.get(key) ?? openBar(event, key, atMs, waitNodes.has(addressOf(event)));
  if (isCompensation) Object.assign(bar, { name: `undo ${taskName(event)}` });
  bars.set(key, bar);
  const ending = ENDINGS[event.type];
  if (ending !== undefined) close(bar, ending, atMs);
  else if (BEGINNINGS.has(event.type)) reopen(bar);
  takePart(bar, event, atMs);
}

function openBar(event: TaskEvent, key: string, atMs: number, isWait: boolean): OpenBar {
  return {
    key,
    name: taskName(event),
    address: addressOf(event),
    visit: event.visit,
    index: event.index ?? null,
    status: isWait ? 'waiting' : 'running',
    fromMs: atMs,
    toMs: null,
    isWait,
    parts: [],
  };
}

const COMPENSATIONS: ReadonlySet<TaskEvent['type']> = new Set([
  'compensation.requested',
  'compensation.failed',
  'node.compensated',
]);

/** Events that mean a retry if they come after the end of a task. */
const BEGINNINGS: ReadonlySet<TaskEvent['type']> = new Set([
  'node.started',
  'tool.requested',
  'function.requested',
  'approval.requested',
]);

const ENDINGS: Partial<Record<TaskEvent['type'], TaskStatus>> = {
  'node.completed': 'completed',
  'node.failed': 'failed',
  'node.skipped': 'skipped',
  'node.compensated': 'completed',
  'compensation.failed': 'failed',
};

function closeAll(bars: BarSource['bars'], atMs: number): void {
  for (const bar of bars.values()) if (bar.toMs === null) close(bar, 'canceled', atMs);
}

function close(bar: OpenBar, status: TaskStatus, atMs: number): void {
  bar.status = status;
  bar.toMs = atMs;
  for (const [index, part] of bar.parts.entries())
    if (part.toMs === null) bar.parts[index] = { ...part, toMs: atMs, hasFailed: status === 'failed' };
}

function reopen(bar: OpenBar): void {
  bar.status = bar.isWait ? 'waiting' : 'running';
  bar.toMs = null;
}

function takePart(bar: OpenBar, event: TaskEvent, atMs: number): void {
  const { parts } = bar;
  takeWait(bar, event, atMs);
  if (event.type === 'tool.requested' || event.type === 'function.requested')
    parts.push({ ...OPEN_CALL, label: nameOfCall(event), fromMs: atMs, key: event.idempotencyKey });
  if (event.type === 'tool.called' || event.type === 'function.called' || event.type === 'model.called')
    takeCall(parts, event, atMs);
}

/** Takes the events of an approval. A decision does not end the wait while a quorum is incomplete. */
function takeWait(bar: OpenBar, event: TaskEvent, atMs: number): void {
  if (event.type === 'approval.requested') {
    bar.status = 'waiting';
    bar.parts.push({ ...OPEN_WAIT, label: event.approval.title, fromMs: atMs, key: event.approval.id });
  } else if (event.type === 'approval.expired' || (event.type === 'approval.decided' && event.status !== 'pending')) {
    end(bar.parts, { key: event.approvalId, toMs: atMs, hasFailed: event.status !== 'approved', attempts: 0 });
    if (bar.toMs === null) bar.status = bar.parts.some(isOpenWait) ? 'waiting' : 'running';
  }
}

function isOpenWait({ kind, toMs }: BarPart): boolean {
  return kind === 'wait' && toMs === null;
}

const OPEN_WAIT = { kind: 'wait', toMs: null, hasFailed: false, attempts: 0 } as const;
const OPEN_CALL = { kind: 'call', toMs: null, hasFailed: false, attempts: 0 } as const;

type Called = Extract<TaskEvent, { readonly type: 'tool.called' | 'function.called' | 'model.called' }>;

function takeCall(parts: BarPart[], event: Called, atMs: number): void {
  const { idempotencyKey: key, attempts, error, durationMs } = event;
  const ended = { key, toMs: atMs, hasFailed: error !== undefined, attempts };
  // A call of a model has an event only at its end.
  if (!end(parts, ended)) parts.push({ ...ended, kind: 'call', label: nameOfCall(event), fromMs: atMs - durationMs });
}

/** Ends the open part with a key. @returns false if there is none */
function end(parts: BarPart[], ended: Pick<BarPart, 'key' | 'toMs' | 'hasFailed' | 'attempts'>): boolean {
  const index = parts.findLastIndex(({ key, toMs }) => key === ended.key && toMs === null);
  const open = parts[index];
  if (open) parts[index] = { ...open, ...ended };
  return open !== undefined;
}

type NamedCall = Called | Extract<TaskEvent, { readonly type: 'tool.requested' | 'function.requested' }>;

function nameOfCall(event: NamedCall): string {
  if ('model' in event) return event.model;
  if ('tool' in event) return event.tool;
  return event.function ?? event.nodeType ?? 'code';
}

/** The time span of bars in milliseconds. Unfinished bars end now. */
export function spanOf(bars: readonly Bar[], nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = bars.reduce((first, bar) => Math.min(first, bar.fromMs), bars[0]?.fromMs ?? nowMs);
  const toMs = bars.reduce((last, bar) => Math.max(last, bar.toMs ?? nowMs), fromMs);
  return { fromMs, toMs: Math.max(toMs, fromMs + 1) };
}
