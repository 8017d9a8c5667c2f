import type { RunEvent } from '../graph/journal/index.ts';
import { deepEqual, shortJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { afterAttempts, formatCaller, formatError, formatNode, formatOrigin, toOneLine } from './phrases.ts';

/**
 * Makes a function that formats the events of one run, each in one line for people. It takes them in order from the first
 * one, because a decision is compared with the arguments in question.
 * @returns the function, which returns `null` for an event that is only technical
 */
export function createEventFormatter(): (event: RunEvent) => string | null {
  const argsByApproval = new Map<string, Json>();
  return (event) => {
    const text = formatByType(event);
    const changed = changeOfArgs(event, argsByApproval);
    return text === null ? null : toOneLine(`${text}${changed}`);
  };
}

/** Formats the arguments that an event has given to an approval, if they differ from those before. */
function changeOfArgs(event: RunEvent, argsByApproval: Map<string, Json>): string {
  if (event.type === 'approval.requested') argsByApproval.set(event.approval.id, event.approval.args);
  if (event.type !== 'approval.decided' && event.type !== 'approval.expired') return '';
  const { approvalId, args } = event;
  const before = argsByApproval.get(approvalId);
  if (before === undefined || args === undefined || deepEqual(before, args)) return '';
  argsByApproval.set(approvalId, args);
  return `, with ${formatValue(args)}`;
}

type EventType = RunEvent['type'];
type ByType = { readonly [T in EventType]: Extract<RunEvent, { readonly type: T }> };
/** An event of one type, so that the table's function for the type accepts it. */
type EventOf<T extends EventType> = { readonly [K in T]: ByType[K] & { readonly type: K } }[T];
type TextsByEventType = { readonly [T in EventType]: (event: EventOf<T>) => string | null };

/** Returns the text of an event. The API of a later version may send other types of events, which have none. */
function formatByType<T extends EventType>(event: EventOf<T>): string | null {
  const format: ((known: EventOf<T>) => string | null) | undefined = TEXTS[event.type];
  return format?.(event) ?? null;
}

const noTextForTechnicalEvent = (): null => null;

const TEXTS: TextsByEventType = {
  'run.started': ({ by, parent }) =>
    parent ? `started by ${by}, from ${parent.checkpoint} of ${parent.runId}` : `started by ${by}`,
  'step.started': noTextForTechnicalEvent,
  'node.started': (event) => `${formatNode(event)} begins`,
  'node.completed': (event) => `${formatNode(event)} is done`,
  'node.failed': (event) =>
    `${formatNode(event)} has failed${afterAttempts(event.attempts)}: ${formatError(event.error)}${formatOrigin(event.error)}`,
  'node.skipped': (event) => `${formatNode(event)} is skipped by ${event.by}`,
  'model.called': ({ model, usage, error, attempts, ...event }) =>
    error
      ? `${formatCaller(event)}: model ${model} has failed${afterAttempts(attempts)}: ${formatError(error)}${formatOrigin(error)}`
      : `${formatCaller(event)}: model ${model} has answered${usage ? ` (${usage.inputTokens} tokens in, ${usage.outputTokens} out)` : ''}`,
  'function.requested': noTextForTechnicalEvent,
  'function.called': noTextForTechnicalEvent,
  'tool.requested': (event) => `${formatCaller(event)}: ${event.tool} is called with ${formatValue(event.args)}`,
  'tool.called': ({ tool, error, attempts, durationMs, ...event }) =>
    error
      ? `${formatCaller(event)}: ${tool} has failed${afterAttempts(attempts)}: ${formatError(error)}${formatOrigin(error)}`
      : `${formatCaller(event)}: ${tool} has answered in ${durationMs} ms${afterAttempts(attempts)}`,
  'tool.skipped': (event) => `${formatNode(event)}: ${event.by} has answered in place of ${event.tool}`,
  'approval.requested': (event) => `${formatNode(event)} asks: ${event.approval.title}`,
  'approval.decided': ({ by, decision, reason, status, ...event }) =>
    `${formatNode(event)}: ${by} says ${decision}${formatReasonSuffix(reason)}, it is ${status}`,
  'approval.reassigned': ({ by, to, ...event }) =>
    `${formatNode(event)}: ${by} has given its approval to ${[...to.roles, ...to.users].join(' or ')}`,
  'approval.expired': (event) => `${formatNode(event)}: the time to decide is over, it is ${event.status}`,
  'compensation.requested': (event) =>
    `${formatNode(event)} is undone: ${event.tool} is called with ${formatValue(event.args)}`,
  'node.compensated': (event) => `${formatNode(event)} is undone`,
  'compensation.failed': (event) => `${formatNode(event)} is not undone: ${formatError(event.error)}`,
  'checkpoint.saved': noTextForTechnicalEvent,
  'run.retried': ({ by, node }) => `${by} tries again${node === undefined ? '' : ` at ${node}`}`,
  'signal.ignored': ({ signal, by, reason, detail }) =>
    `${signal} of ${by} is ignored: ${reason}${detail === undefined ? '' : `, ${detail}`}`,
  'run.paused': ({ by, reason }) => `paused by ${by}${formatReasonSuffix(reason)}`,
  'run.resumed': ({ by }) => `resumed by ${by}`,
  'state.updated': ({ by, values }) => `${by} has set ${Object.keys(values).join(', ')}`,
  'signal.received': ({ by, event }) => `event ${event} has come from ${by}`,
  'run.completed': ({ output }) => `completed: ${formatValue(output)}`,
  'run.failed': ({ error }) => `failed: ${formatError(error)}`,
  'run.canceled': ({ by, reason }) => `canceled by ${by}${formatReasonSuffix(reason)}`,
};

/** The maximum of characters of a value. */
const MAX_VALUE = 200;

function formatValue(value: Json): string {
  return shortJson(value, MAX_VALUE);
}

function formatReasonSuffix(reason: string | null): string {
  return reason === null ? '' : ` ("${reason}")`;
}
