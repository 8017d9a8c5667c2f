import type { RunEvent } from '../journal/events.ts';
import type { RunError } from '../values/errors.ts';
import { escapeInvisible } from '../values/escape-invisible.ts';
import type { Json } from '../values/json.ts';
import { shortJson } from '../values/short-json.ts';

/** Describes an event in one line for people; `null`: it is only technical. */
export function eventInWords(event: RunEvent): string | null {
  const said = sayOf(event);
  return said === null ? null : escapeInvisible(said.replaceAll('\n', ' '));
}

type EventType = RunEvent['type'];
type ByType = { readonly [T in EventType]: Extract<RunEvent, { readonly type: T }> };
/** An event of one type, so that the table gives what takes it. */
type EventOf<T extends EventType> = { readonly [K in T]: ByType[K] & { readonly type: K } }[T];
type Sayings = { readonly [T in EventType]: (event: EventOf<T>) => string | null };

/** An API of a later version may tell events of other types. */
function sayOf<T extends EventType>(event: EventOf<T>): string | null {
  const say: ((known: EventOf<T>) => string | null) | undefined = SAYINGS[event.type];
  return say?.(event) ?? null;
}

const silent = (): null => null;

const SAYINGS: Sayings = {
  'run.started': ({ by, parent }) =>
    parent ? `started by ${by}, from ${parent.checkpoint} of ${parent.runId}` : `started by ${by}`,
  'step.started': silent,
  'node.started': (event) => `${nodeOf(event)} begins`,
  'node.completed': (event) => `${nodeOf(event)} is done`,
  'node.failed': (event) => `${nodeOf(event)} has failed${after(event.attempts)}: ${errorIn(event.error)}`,
  'node.skipped': (event) => `${nodeOf(event)} is skipped by ${event.by}`,
  'model.called': ({ model, usage, error, attempts, ...event }) =>
    error
      ? `${nodeOf(event)}: model ${model} has failed${after(attempts)}: ${errorIn(error)}`
      : `${nodeOf(event)}: model ${model} has answered${usage ? ` (${usage.inputTokens} tokens in, ${usage.outputTokens} out)` : ''}`,
  'function.requested': silent,
  'function.called': silent,
  'tool.requested': (event) => `${nodeOf(event)}: ${event.tool} is called with ${valueIn(event.args)}`,
  'tool.called': ({ tool, error, attempts, durationMs, ...event }) =>
    error
      ? `${nodeOf(event)}: ${tool} has failed${after(attempts)}: ${errorIn(error)}`
      : `${nodeOf(event)}: ${tool} has answered in ${durationMs} ms${after(attempts)}`,
  'tool.skipped': (event) => `${nodeOf(event)}: ${event.by} has answered in place of ${event.tool}`,
  'approval.requested': (event) => `${nodeOf(event)} asks: ${event.approval.title}`,
  'approval.decided': ({ by, decision, reason, status, ...event }) =>
    `${nodeOf(event)}: ${by} says ${decision}${reasonIn(reason)}, it is ${status}`,
  'approval.reassigned': ({ by, to, ...event }) =>
    `${nodeOf(event)}: ${by} has given its approval to ${[...to.roles, ...to.users].join(' or ')}`,
  'approval.expired': (event) => `${nodeOf(event)}: the time to decide is over, it is ${event.status}`,
  'compensation.requested': (event) =>
    `${nodeOf(event)} is undone: ${event.tool} is called with ${valueIn(event.args)}`,
  'node.compensated': (event) => `${nodeOf(event)} is undone`,
  'compensation.failed': (event) => `${nodeOf(event)} is not undone: ${errorIn(event.error)}`,
  'checkpoint.saved': silent,
  'run.retried': ({ by, node }) => `${by} tries again${node === undefined ? '' : ` at ${node}`}`,
  'signal.ignored': ({ signal, by, reason, detail }) =>
    `${signal} of ${by} is ignored: ${reason}${detail === undefined ? '' : `, ${detail}`}`,
  'run.paused': ({ by, reason }) => `paused by ${by}${reasonIn(reason)}`,
  'run.resumed': ({ by }) => `resumed by ${by}`,
  'state.updated': ({ by, values }) => `${by} has set ${Object.keys(values).join(', ')}`,
  'signal.received': ({ by, event }) => `event ${event} has come from ${by}`,
  'run.completed': ({ output }) => `completed: ${valueIn(output)}`,
  'run.failed': ({ error }) => `failed: ${errorIn(error)}`,
  'run.canceled': ({ by, reason }) => `canceled by ${by}${reasonIn(reason)}`,
};

/** A value is shown in so many characters. */
const MAX_VALUE = 200;

function nodeOf({ node, index, path = [] }: { node: string; index?: number; path?: readonly string[] }): string {
  return `${[...path, node].join('/')}${index === undefined ? '' : `[${index}]`}`;
}

function errorIn({ code, message }: RunError): string {
  return `${code} ${message}`;
}

function valueIn(value: Json): string {
  return shortJson(value, MAX_VALUE);
}

function reasonIn(reason: string | null): string {
  return reason === null ? '' : ` ("${reason}")`;
}

function after(attempts: number): string {
  return attempts > 1 ? ` after ${attempts} attempts` : '';
}
