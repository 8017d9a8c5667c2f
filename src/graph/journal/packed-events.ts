import type { CallRequest } from '../run/effect.ts';
import { callKey, taskKey } from '../run/ids.ts';
import type { RunEvent } from './events.ts';

/** What both ends of a batch's way know: the run, and the call that the batch travels with. */
export interface Carrier {
  readonly runId: string;
  /** `null`: an activity that only writes the journal. */
  readonly call: { readonly key: string; readonly request: CallRequest } | null;
}

/** Events of one moment and place. Their numbers follow on the last of the group before, unless `seq` says otherwise. */
export interface EventGroup extends Partial<EventSubject> {
  readonly seq?: number | undefined;
  /** Milliseconds since the epoch; absent: that of the group before. */
  readonly at?: number | undefined;
  readonly events: readonly object[];
}

/** Where in a run events happened. */
interface EventSubject {
  /** Absent: that of the group before. */
  readonly step: number | undefined;
  readonly path: readonly string[] | undefined;
  readonly node: string | undefined;
  /** Absent where there is a node: 1; 0: there is none. */
  readonly visit: number | undefined;
  readonly index: number | undefined;
}

/** Any event, as far as others are told by it. */
interface UnpackState extends Partial<EventSubject> {
  readonly seq: number;
  readonly at: string;
  readonly step: number;
  readonly type: string;
  readonly next?: readonly string[];
}

/** What the first event of a batch follows on. */
const BEGINNING: UnpackState = { seq: -1, at: '', step: -1, type: '' };

export function packEvents(events: readonly RunEvent[], carrier: Carrier): EventGroup[] {
  const groups: EventGroup[] = [];
  let bodies: object[] = [];
  let last = BEGINNING;
  for (const event of events) {
    if (!isOfGroup(event, last)) {
      bodies = [];
      groups.push(openGroup(event, last, bodies));
    }
    bodies.push(bodyOf(event, impliedOf(event, last, carrier)));
    last = event;
  }
  return groups;
}

/** Whether an event belongs to the group of the one before. */
function isOfGroup(event: UnpackState, last: UnpackState): boolean {
  return event.seq === last.seq + 1 && event.at === last.at && isSameSubject(event, last);
}

function openGroup(
  { seq, at, step, path, node, visit, index }: UnpackState,
  last: UnpackState,
  events: readonly object[],
): EventGroup {
  return {
    seq: seq === last.seq + 1 ? undefined : seq,
    at: at === last.at ? undefined : Date.parse(at),
    step: step === last.step ? undefined : step,
    path,
    node,
    index,
    visit: node === undefined || visit === 1 ? undefined : (visit ?? NO_VISIT),
    events,
  };
}

/** What a group says of its events, in one place. */
const SHARED: ReadonlySet<string> = new Set(['seq', 'at', 'step', 'path', 'node', 'visit', 'index']);

function bodyOf(event: UnpackState, implied: Body): object {
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(event))
    if (!SHARED.has(field) && !isSame(value, implied[field])) body[field] = value;
  return body;
}

export function unpackEvents(groups: readonly EventGroup[], carrier: Carrier): RunEvent[] {
  const events: RunEvent[] = [];
  let last = BEGINNING;
  for (const { seq = last.seq + 1, at, events: bodies, step = last.step, path, node, visit, index } of groups) {
    const place = defined({ step, path, node, visit: visitOf({ node, visit }), index });
    const time = at === undefined ? last.at : new Date(at).toISOString();
    for (const [offset, body] of bodies.entries()) {
      const event = toEvent({ seq: seq + offset, at: time, ...place, ...body });
      const whole = toEvent({ ...event, ...impliedOf(event, last, carrier), ...body });
      events.push(whole);
      last = whole;
    }
  }
  return events;
}

/** Where a node is named, and none of its visits. */
const NO_VISIT = 0;

function visitOf({ node, visit = 1 }: Pick<EventSubject, 'node'> & Partial<EventSubject>): number | undefined {
  return node === undefined || visit === NO_VISIT ? undefined : visit;
}

function defined(place: EventSubject): object {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
}

type Body = Readonly<Record<string, unknown>>;

/** What the fields of an event are when they are left out. */
function impliedOf(event: UnpackState, last: UnpackState, carrier: Carrier): Body {
  switch (event.type) {
    case 'tool.requested':
      return { ...requestOf(carrier), idempotencyKey: firstKey(event, carrier) };
    case 'tool.called':
      return { idempotencyKey: firstKey(event, carrier), attempts: 1 };
    case 'step.started':
      return { nodes: last.next };
    case 'checkpoint.saved':
      return { source: 'loop' };
    default:
      return NOTHING;
  }
}

const NOTHING: Body = {};

/** The key of the first call of a task of the run's own graph that nobody has had made again. */
export function firstKey(
  { node = '', index, visit = NO_VISIT }: Partial<EventSubject>,
  { runId }: Pick<Carrier, 'runId'>,
): string {
  return callKey(runId, [], { key: taskKey(node, index), visit, number: 0, retryRound: 0 });
}

/** What a call is asked for with; a batch mostly travels with the call that an event of it asks for. */
function requestOf({ call }: Carrier): Body {
  return call?.request.kind === 'tool' ? { tool: call.request.tool, args: call.request.args } : NOTHING;
}

function isSameSubject(a: UnpackState, b: UnpackState): boolean {
  return a.step === b.step && a.node === b.node && a.visit === b.visit && a.index === b.index && isSame(a.path, b.path);
}

/** Equal texts and numbers, lists of these, or the very same value. */
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
