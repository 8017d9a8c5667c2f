import type { CallRequest } from '../run/effect.ts';
import { callKey, taskKey } from '../run/ids.ts';
import type { NodePath } from '../run/ids.ts';
import { formatTimestamp } from '../values/time.ts';
import type { RunEvent } from './events.ts';

/** The run and the call that a batch travels with. Both ends know them, so they imply fields of events. */
export interface Carrier {
  readonly runId: string;
  /** `null`: the activity only writes the journal. */
  readonly call: { readonly key: string; readonly request: CallRequest } | null;
}

/** Neighboring events with the same time and subject. */
export interface EventGroup extends Partial<EventSubject> {
  /** The number of the first event; absent: it follows the event before. */
  readonly seq?: number | undefined;
  /** Milliseconds since the epoch; absent: the time of the group before. */
  readonly at?: number | undefined;
  readonly events: readonly object[];
}

/** The step, graph and task that an event is about. */
interface EventSubject {
  /** Absent: the step of the group before. */
  readonly step: number | undefined;
  readonly path: NodePath | undefined;
  readonly node: string | undefined;
  /** Absent: 1, or none where there is no node. 0: none. */
  readonly visit: number | undefined;
  readonly index: number | undefined;
}

/** Packs events into groups. `unpackEvents` with the same carrier restores them. */
export function packEvents(events: readonly RunEvent[], carrier: Carrier): EventGroup[] {
  const groups: EventGroup[] = [];
  let bodies: object[] = [];
  let previous = NO_EVENT;
  for (const event of events) {
    if (!continuesGroup(event, previous)) {
      bodies = [];
      groups.push(openGroup(event, previous, bodies));
    }
    bodies.push(bodyOf(event, impliedFields(event, previous, carrier)));
    previous = event;
  }
  return groups;
}

/** Unpacks events. @throws TypeError for an event without a type */
export function unpackEvents(groups: readonly EventGroup[], carrier: Carrier): RunEvent[] {
  const events: RunEvent[] = [];
  let previous = NO_EVENT;
  for (const { seq = previous.seq + 1, at, events: bodies, step = previous.step, path, node, visit, index } of groups) {
    const subject = withoutUndefined({ step, path, node, visit: visitOf({ node, visit }), index });
    const time = at === undefined ? previous.at : formatTimestamp(at);
    for (const [offset, body] of bodies.entries()) {
      const event = toEvent({ seq: seq + offset, at: time, ...subject, ...body });
      const whole = toEvent({ ...event, ...impliedFields(event, previous, carrier), ...body });
      events.push(whole);
      previous = whole;
    }
  }
  return events;
}

/** The fields of an event that packing reads, also from the event before. */
interface PackableEvent extends Partial<EventSubject> {
  readonly seq: number;
  readonly at: string;
  readonly step: number;
  readonly type: string;
  readonly next?: readonly string[];
}

/** Stands for the event before the first one of a batch. */
const NO_EVENT: PackableEvent = { seq: -1, at: '', step: -1, type: '' };

/** True if an event belongs to the group of the event before. */
function continuesGroup(event: PackableEvent, previous: PackableEvent): boolean {
  return event.seq === previous.seq + 1 && event.at === previous.at && isSameSubject(event, previous);
}

function openGroup(
  { seq, at, step, path, node, visit, index }: PackableEvent,
  previous: PackableEvent,
  events: readonly object[],
): EventGroup {
  return {
    seq: seq === previous.seq + 1 ? undefined : seq,
    at: at === previous.at ? undefined : Date.parse(at),
    step: step === previous.step ? undefined : step,
    path,
    node,
    index,
    visit: node === undefined || visit === 1 ? undefined : (visit ?? NO_VISIT),
    events,
  };
}

/** The fields that a group holds for its events. */
const GROUP_FIELDS: ReadonlySet<string> = new Set(['seq', 'at', 'step', 'path', 'node', 'visit', 'index']);

function bodyOf(event: PackableEvent, implied: EventFields): object {
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(event))
    if (!GROUP_FIELDS.has(field) && !isSame(value, implied[field])) body[field] = value;
  return body;
}

/** Stands for no visit, where an absent one means the first. */
const NO_VISIT = 0;

function visitOf({ node, visit = 1 }: Pick<EventSubject, 'node'> & Partial<EventSubject>): number | undefined {
  return node === undefined || visit === NO_VISIT ? undefined : visit;
}

function withoutUndefined(subject: EventSubject): object {
  return Object.fromEntries(Object.entries(subject).filter(([, value]) => value !== undefined));
}

type EventFields = Readonly<Record<string, unknown>>;

/** The values of fields that an event's body leaves out. */
function impliedFields(event: PackableEvent, previous: PackableEvent, carrier: Carrier): EventFields {
  switch (event.type) {
    case 'tool.requested':
      return { ...requestOf(carrier), idempotencyKey: firstCallKey(event, carrier) };
    case 'function.requested':
      return { ...argsOf(carrier), idempotencyKey: firstCallKey(event, carrier) };
    case 'model.called':
      return { idempotencyKey: firstCallKey(event, carrier) };
    case 'function.called':
    case 'tool.called':
      return { idempotencyKey: firstCallKey(event, carrier), attempts: 1 };
    case 'step.started':
      return { nodes: previous.next };
    case 'checkpoint.saved':
      return { source: 'loop' };
    default:
      return NO_FIELDS;
  }
}

const NO_FIELDS: EventFields = {};

/** The key of the first call of a task in the run's own graph, before any retry by a person. */
export function firstCallKey(
  {
    node = '',
    index,
    visit = NO_VISIT,
  }: Pick<PackableEvent, 'node' | 'index'> & { readonly visit?: number | undefined },
  { runId }: Pick<Carrier, 'runId'>,
): string {
  return callKey(runId, [], { key: taskKey(node, index), visit, number: 0, retryRound: 0 });
}

/** The tool and arguments of the carrying call: mostly, a batch travels with the call that its event requests. */
function requestOf({ call }: Carrier): EventFields {
  return call?.request.kind === 'tool' ? { tool: call.request.tool, args: call.request.args } : NO_FIELDS;
}

/** The arguments of the carrying call, if it is one of code that is no tool. */
function argsOf({ call }: Carrier): EventFields {
  if (call?.request.kind === 'function') return { args: call.request.args };
  return call?.request.kind === 'node' ? { args: call.request.config } : NO_FIELDS;
}

function isSameSubject(a: PackableEvent, b: PackableEvent): boolean {
  return a.step === b.step && a.node === b.node && a.visit === b.visit && a.index === b.index && isSame(a.path, b.path);
}

/** True for equal texts and numbers, lists of these, and one and the same object. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function toEvent(value: object): RunEvent {
  if (isEvent(value)) return value;
  throw new TypeError('A journal batch holds what is no event');
}

function isEvent(value: object): value is RunEvent {
  return 'type' in value && typeof value.type === 'string';
}
