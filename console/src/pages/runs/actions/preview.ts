import { isTaskEvent, taskKey, taskName } from '../data/history.ts';
import type { RunEvent, TaskEvent } from '../data/history.ts';

/** An action on a run, with the fields that determine which work is repeated. */
export type PreviewedAction =
  | { readonly kind: 'retry' | 'skip' | 'fail'; readonly node: string | null }
  | { readonly kind: 'replan'; readonly node: string }
  | { readonly kind: 'fork'; readonly checkpoint: string }
  | { readonly kind: 'cancel' | 'pause' | 'resume' | 'edit' };

/** The work that an action keeps, and the work that it repeats. */
export interface Preview {
  /** Names of tasks and calls whose results are kept. */
  readonly kept: readonly string[];
  /** Names of tasks and calls that are repeated, or may be. */
  readonly again: readonly string[];
  /** Further consequences, as sentences. */
  readonly notes: readonly string[];
}

interface KnownHistory {
  readonly events: readonly RunEvent[];
  /** The effect of each tool, by its name. */
  readonly effects?: ReadonlyMap<string, string>;
  /** The nodes whose calls are compensated when the run is canceled. */
  readonly compensated?: ReadonlySet<string>;
}

/** Predicts from the history of a run which work an action keeps, and which it repeats. */
export function createPreview(action: PreviewedAction, history: KnownHistory): Preview {
  const log = readLog(history);
  switch (action.kind) {
    case 'retry':
      return previewRetry(log, action.node);
    case 'fork':
      return previewFork(history, action.checkpoint);
    case 'replan':
      return {
        kept: log.finished,
        again: [`${action.node} begins anew, under new keys`],
        notes: ['What runs or waits now is given up. What is written stays written.'],
      };
    case 'cancel':
      return { kept: log.finished, again: [], notes: CANCEL_NOTES(undone(log, history.compensated ?? new Set())) };
    default:
      return { kept: log.finished, again: [], notes: NOTES[action.kind] };
  }
}

const NOTES: Readonly<Record<'skip' | 'fail' | 'pause' | 'resume' | 'edit', readonly string[]>> = {
  skip: ['The node counts as done, with the output that you give. Nothing is called.'],
  fail: ['The node fails. Its graph says what follows; without a way for errors, the run fails.'],
  pause: ['What runs now is finished. Decisions are still taken; nothing else begins.'],
  resume: ['The run goes on where it has stopped.'],
  edit: ['The values go through the reducers of their channels. Nothing goes on by itself.'],
};

const CANCEL_NOTES = (compensatedCalls: readonly string[]): readonly string[] => [
  'The run ends. Approvals that wait are withdrawn.',
  ...(compensatedCalls.length > 0 ? [`Undone, the latest first: ${compensatedCalls.join(', ')}.`] : []),
];

/** A task that has failed or is not finished, with its calls. */
interface OpenTask {
  readonly node: string;
  readonly name: string;
  hasFailed: boolean;
  readonly done: Map<string, string>;
  readonly failed: Map<string, string>;
}

interface Log {
  /** Names of finished tasks. */
  readonly finished: readonly string[];
  readonly open: readonly OpenTask[];
  /** Names of tools that were called with success, by node, in order. */
  readonly called: readonly { readonly node: string; readonly tool: string }[];
}

function readLog({ events, effects = new Map() }: KnownHistory): Log {
  const finished = new Map<string, string>();
  const open = new Map<string, OpenTask>();
  const called: { readonly node: string; readonly tool: string }[] = [];
  for (const event of events) {
    if (!isTaskEvent(event)) continue;
    const key = taskKey(event);
    const task = open.get(key) ?? openTask(event);
    if (event.type === 'tool.called' && !event.error) called.push({ node: event.node, tool: event.tool });
    if (FINISHES.has(event.type)) {
      open.delete(key);
      finished.set(key, taskName(event));
    } else if (TASK_EVENTS.test(event.type)) {
      open.set(key, task);
      takeCall(task, event, effects);
    }
  }
  return { finished: [...finished.values()], open: [...open.values()], called };
}

const FINISHES: ReadonlySet<TaskEvent['type']> = new Set(['node.completed', 'node.skipped']);
const TASK_EVENTS = /^(?:node\.(?:started|failed)|(?:tool|function)\.(?:requested|called)|model\.called)$/;

function openTask(event: TaskEvent): OpenTask {
  return { node: event.node, name: taskName(event), hasFailed: false, done: new Map(), failed: new Map() };
}

function takeCall(task: OpenTask, event: TaskEvent, effects: ReadonlyMap<string, string>): void {
  if (event.type === 'node.failed') task.hasFailed = true;
  if (event.type === 'node.started') task.hasFailed = false;
  if (event.type !== 'tool.called' && event.type !== 'function.called' && event.type !== 'model.called') return;
  const name = nameOfCall(event);
  const effect = effects.get(name);
  const label = `call of ${name}${effect === undefined ? '' : ` (${effect})`} in ${task.name}`;
  task.failed.delete(event.idempotencyKey);
  (event.error ? task.failed : task.done).set(event.idempotencyKey, label);
}

function nameOfCall(event: Extract<TaskEvent, { readonly type: 'tool.called' | 'function.called' | 'model.called' }>) {
  if (event.type === 'tool.called') return event.tool;
  if (event.type === 'model.called') return event.model;
  return event.function ?? event.nodeType ?? 'code';
}

/** A retry resumes within the task, so the results of its calls are kept. */
function previewRetry({ finished, open }: Log, node: string | null): Preview {
  const these = open.filter((task) => (node === null ? task.hasFailed || open.length === 1 : task.node === node));
  const failed = these.flatMap((task) => [...task.failed.values()]);
  const without = these.filter((task) => task.failed.size === 0).map(({ name }) => name);
  return {
    kept: [...finished, ...these.flatMap((task) => [...task.done.values()])],
    again: [...failed, ...without],
    notes: ['A call that is known to have failed gets a new key. Any other keeps its key, so that it is made once.'],
  };
}

function previewFork(history: KnownHistory, checkpoint: string): Preview {
  const at = history.events.findIndex((event) => event.type === 'checkpoint.saved' && event.checkpoint === checkpoint);
  const before = readLog({ ...history, events: history.events.slice(0, at + 1) });
  const after = readLog({ ...history, events: history.events.slice(at + 1) });
  const calls = after.called.map(({ node, tool }) => {
    const effect = history.effects?.get(tool);
    return `call of ${tool}${effect === undefined ? '' : ` (${effect})`} in ${node}`;
  });
  return {
    kept: before.finished,
    again: calls.length > 0 ? calls : after.finished,
    notes: [
      'A new run begins here; this one stays as it is.',
      ...(calls.length > 0
        ? [
            'This run has made these calls already. The fork makes them again, under keys of its own, if its way leads there.',
          ]
        : []),
    ],
  };
}

function undone({ called }: Log, compensated: ReadonlySet<string>): readonly string[] {
  return called
    .filter(({ node }) => compensated.has(node))
    .map(({ node, tool }) => `${tool} in ${node}`)
    .reverse();
}
