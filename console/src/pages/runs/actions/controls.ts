import type { Explanation, CallOptions, Client, Run } from 'holdfast/client';

/** An action of a person on a run. */
export type Control = 'pause' | 'resume' | 'cancel' | 'retry' | 'skip' | 'fail' | 'replan' | 'edit';

/** All controls in display order. */
const CONTROLS: readonly Control[] = ['retry', 'skip', 'fail', 'resume', 'pause', 'replan', 'edit', 'cancel'];

/** Returns the controls that the API allows the person now; an edit is offered whenever nothing runs. */
export function availableControls({ status, actions }: Pick<Explanation, 'status' | 'actions'>): readonly Control[] {
  const offered = new Set<string>(actions.flatMap(({ action, allowed }) => (allowed ? [action] : [])));
  if (status !== 'running' && status !== 'queued') offered.add('edit');
  return CONTROLS.filter((control) => offered.has(control));
}

/** Returns the effects of a control in the words of the API; there are several if it applies to one of several failures. */
export function effectsOf({ actions }: Pick<Explanation, 'actions'>, control: Control): readonly string[] {
  return [...new Set(actions.flatMap(({ action, effect }) => (action === control ? [effect] : [])))];
}

/** The labels of the controls. */
export const LABELS: Readonly<Record<Control, string>> = {
  retry: 'Retry',
  skip: 'Skip',
  fail: 'Fail',
  replan: 'Replan',
  pause: 'Pause',
  resume: 'Resume',
  edit: 'Edit state',
  cancel: 'Cancel',
};

type Body = Readonly<Record<string, unknown>>;
type Runs = Client['runs'];

interface SentControl {
  readonly runId: string;
  readonly control: Control;
  /** The body from `readBody` for the control. */
  readonly body: Body;
  /** The ETag of the state that an edit is based on. The API refuses the edit if the state has changed since. */
  readonly etag: string | undefined;
  readonly options: CallOptions;
}

/**
 * Sends a control to a run.
 * @throws HoldfastError, also if the body is invalid
 */
export async function sendControl({ runs }: Pick<Client, 'runs'>, { control, ...sent }: SentControl): Promise<void> {
  await SENDERS[control](runs, sent);
}

type Send = (runs: Runs, sent: Omit<SentControl, 'control'>) => Promise<unknown>;

const SENDERS: Readonly<Record<Control, Send>> = {
  pause: async (runs, { runId, body, options }) => await runs.pause(runId, body, options),
  resume: async (runs, { runId, body, options }) => await runs.resume(runId, body, options),
  cancel: async (runs, { runId, body, options }) => await runs.cancel(runId, body, options),
  retry: async (runs, { runId, body, options }) => await runs.retry(runId, body, options),
  fail: async (runs, { runId, body, options }) => await runs.fail(runId, body, options),
  skip: async (runs, { runId, body, options }) => await runs.skip(runId, { ...body, output: body['output'] }, options),
  replan: async (runs, { runId, body, options }) =>
    await runs.replan(runId, { ...body, node: String(body['node']) }, options),
  edit: async (runs, { runId, body, etag = '', options }) =>
    await runs.edit(runId, { values: membersOf(body['values']), ...asNodeOf(body), etag }, options),
};

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function asNodeOf({ asNode }: Body): { readonly asNode?: string } {
  return typeof asNode === 'string' ? { asNode } : {};
}

/** A failed node or call that a control settles. */
export interface Target {
  /** Identifies the failure: a later one of the same node has another key. */
  readonly key: string;
  readonly label: string;
  readonly node: string | null;
  /** The members of a request body that identify it. */
  readonly named: { readonly id?: string; readonly node?: string };
}

/** The targets of retry, skip and fail: waiting interventions, or the node that has failed the run. */
export function targetsOf({
  waitingFor,
  error,
  status,
  endedAt,
}: Pick<Run, 'waitingFor' | 'error' | 'status' | 'endedAt'>): readonly Target[] {
  const waiting = waitingFor.flatMap((one): Target[] => {
    if (one.kind !== 'intervention') return [];
    const { id, node, tool, since } = one;
    return [{ key: `${id} ${since}`, label: tool === undefined ? node : `${tool} in ${node}`, node, named: { id } }];
  });
  if (waiting.length > 0 || status !== 'failed') return waiting;
  const node = error?.node;
  const all: Target = { key: `all ${endedAt}`, label: 'whatever has failed', node: null, named: {} };
  return node === undefined ? [all] : [{ key: `node ${node} ${endedAt}`, label: node, node, named: { node } }, all];
}
