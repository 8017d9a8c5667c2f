import type { CallOptions, Client } from 'holdfast/client';
import type { Control } from './controls-of.ts';

type Body = Readonly<Record<string, unknown>>;
type Runs = Client['runs'];

interface SentControl {
  readonly runId: string;
  readonly control: Control;
  /** As `readBody` has made it for the control. */
  readonly body: Body;
  /** The tag of the state that an edit corrects; the API refuses the edit if another state has come since. */
  readonly etag: string | undefined;
  readonly options: CallOptions;
}

/**
 * Sends a control to a run.
 * @throws HoldfastError, also where the API finds the body wrong
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
