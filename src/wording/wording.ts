import type { RunEvent } from '../graph/journal/index.ts';
import { escapeInvisible, shortJson } from '../graph/values/index.ts';
import type { Json, RunError } from '../graph/values/index.ts';
import type { ApprovalPolicy } from '../graph/definition/index.ts';

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

/** What an approval asks. */
export interface Asked {
  readonly title: string;
  readonly tool?: string | undefined;
  readonly args: Json;
  readonly details: Json;
  /** Of all that is above; `null`: it is hidden. */
  readonly digest: string | null;
  readonly policy: ApprovalPolicy;
}

/** Continued lines begin further right than names of parts, so that no text can pose as another part. */
const NAME_WIDTH = 9;

/** All that the digest of an approval binds, uncut: a name and a text each. */
export function approvalInWords({ title, tool, args, details }: Omit<Asked, 'digest' | 'policy'>): string {
  const parts = Object.entries({ asks: title, tool: tool ?? null, args, details });
  const lines = parts.flatMap(([name, part]) =>
    part === null ? [] : [`  ${name.padEnd(NAME_WIDTH)}${toText(part)}\n`],
  );
  return lines.join('');
}

function toText(part: Json): string {
  const text = typeof part === 'string' ? part : JSON.stringify(part);
  return escapeInvisible(text).replaceAll('\n', `\n  ${' '.repeat(NAME_WIDTH)}`);
}

const MAX_LINE = 400;

/** The same in one line; `null` if it does not fit. */
function approvalInOneLine({ title, tool, args, details }: Asked): string | null {
  if (details !== null) return null;
  const call = [...(tool === undefined ? [] : [tool]), ...(args === null ? [] : [JSON.stringify(args)])].join(' ');
  const line = call === '' ? title : `${title} With ${call}`;
  return line.length > MAX_LINE ? null : line;
}

/** The number of characters of a digest that are shown: enough to tell what was seen. */
const DIGEST_LENGTH = 12;

/**
 * The command that approves what is asked, and nothing else. Without a digest, it shows what it approves.
 * @param asked `null`: it is not known
 */
export function approveCommand(id: string, asked: Pick<Asked, 'digest' | 'policy'> | null): string {
  const { digest = null, policy = {} } = asked ?? {};
  const seen = digest === null ? '' : ` --digest ${digest.slice(0, DIGEST_LENGTH)}`;
  return `holdfast approve ${id}${seen}${policy.requireReason === true ? ' --reason …' : ''}`;
}

/** Quotes a text for a POSIX shell: people copy commands, and the text may come from outside. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A call that has failed and waits for its next attempt. */
interface Retrying {
  readonly node: string;
  readonly index?: number | undefined;
  readonly attempt: number;
  /** As its reader may see it. */
  readonly lastError: { readonly code: string; readonly message: string } | null;
  readonly nextAttemptAt: string | null;
}

/** Describes a call that has failed and is made again. @param now milliseconds since the epoch */
export function retryInWords({ node, index, attempt, lastError, nextAttemptAt }: Retrying, now: number): string {
  const inMs = nextAttemptAt === null ? 0 : Math.max(0, Date.parse(nextAttemptAt) - now);
  const why = lastError ? `: ${lastError.code} ${lastError.message}` : '';
  const place = `${node}${index === undefined ? '' : `[${index}]`}`;
  return escapeInvisible(`${place}: attempt ${attempt} in ${Math.ceil(inMs / 1_000)} s${why}`.replaceAll('\n', ' '));
}

/** A thing that a run waits for. */
interface Waiting {
  readonly kind: 'approval' | 'event' | 'timer' | 'intervention';
  readonly node: string;
  readonly id?: string | undefined;
  readonly deadline?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** How a run that waits goes on, for people. */
export interface WaitingLine {
  /** Whom or what it waits for. */
  readonly text: string;
  /** The command that lets it go on; `null`: it goes on by itself. */
  readonly command: string | null;
}

/** @param approval what is asked; `null`: nothing, or it is not known */
export function waitingInWords(runId: string, waiting: Waiting, approval: Asked | null): WaitingLine {
  const { text, command } = LINES[waiting.kind](waiting, runId, approval);
  return { text: escapeInvisible(text.replaceAll('\n', ' ')), command };
}

type Line = (waiting: Waiting, runId: string, approval: Asked | null) => WaitingLine;

const LINES: Readonly<Record<Waiting['kind'], Line>> = {
  approval({ node, id = '' }, runId, approval) {
    const text = `${node} waits for ${whoDecides(approval?.policy ?? {})}`;
    if (approval === null) return { text, command: approveCommand(id, null) };
    const asked = approvalInOneLine(approval);
    // A command with a digest is only for people who see all that they approve.
    if (asked === null) return { text: `${text}: ${approval.title}`, command: `holdfast approvals --run ${runId}` };
    return { text: `${text}: ${asked}`, command: approveCommand(id, approval) };
  },
  intervention: ({ node, id = '', error }, runId) => ({
    text: `${node} waits for a person to retry, skip or fail it${error ? `: ${error.code} ${error.message}` : ''}`,
    command: `holdfast retry ${runId} --id ${quoted(id)}`,
  }),
  event: ({ node, id = '' }, runId) => ({
    text: `${node} waits for the event ${id}`,
    command: `holdfast signal ${runId} --event ${quoted(id)}`,
  }),
  timer: ({ node, deadline = '' }) => ({ text: `${node} waits until ${deadline}`, command: null }),
};

function quoted(text: string): string {
  return quoteForShell(escapeInvisible(text.replaceAll('\n', ' ')));
}

/** Names the people of a policy, such as `2 people of approver or ann (after 1d also lead), but not who has asked`. */
export function whoDecides(policy: ApprovalPolicy): string {
  const { roles = [], users = [], quorum = 1, escalate = [], excludeRequester = false } = policy;
  const named = [...roles, ...users].join(' or ') || 'anybody who may decide';
  const many = quorum > 1 ? `${quorum} people of ${named}` : named;
  const later = escalate.map(({ after, roles: others }) => `after ${after} also ${others.join(' or ')}`);
  const who = later.length > 0 ? `${many} (${later.join(', ')})` : many;
  return excludeRequester ? `${who}, but not who has asked` : who;
}
