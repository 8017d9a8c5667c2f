import type { CallRequest } from './effect.ts';
import type { RunEvent } from './events.ts';

/** What both ends of a batch's way know: the run, and the call that the batch travels with. */
export interface Carrier {
  readonly runId: string;
  /** `null`: an activity that only writes the journal. */
  readonly call: { readonly key: string; readonly request: CallRequest } | null;
}

/** Events of one moment and place. Their numbers follow on the last of the group before, unless `seq` says otherwise. */
export interface EventGroup extends Partial<Place> {
  readonly seq?: number;
  /** Milliseconds since the epoch; absent: that of the group before. */
  readonly at?: number;
  readonly events: readonly object[];
}

/** Where in a run events happened. */
interface Place {
  /** Absent: that of the group before. */
  readonly step: number;
  readonly path: readonly string[] | undefined;
  readonly node: string | undefined;
  /** Absent where there is a node: 1; 0: there is none. */
  readonly visit: number | undefined;
  readonly index: number | undefined;
}

type Body = Readonly<Record<string, unknown>>;

interface SplitEvent {
  readonly seq: number;
  readonly at: string;
  readonly place: Place;
  readonly body: Body;
}

export function packEvents(events: readonly RunEvent[], carrier: Carrier): EventGroup[] {
  const groups: { place: Place; packed: EventGroup & { events: object[] } }[] = [];
  let last = BEGINNING;
  for (const event of events.map(split)) {
    const body = shorten(event, last, carrier);
    const group = groups.at(-1);
    const follows = event.seq === last.seq + 1 && event.at === last.at;
    if (group && follows && isSamePlace(group.place, event.place)) group.packed.events.push(body);
    else groups.push({ place: event.place, packed: { ...headOf(event, last), events: [body] } });
    last = event;
  }
  return groups.map(({ packed }) => packed);
}

function headOf({ seq, at, place }: SplitEvent, last: SplitEvent): Omit<EventGroup, 'events'> {
  const { step, visit, ...rest } = place;
  return {
    ...(seq !== last.seq + 1 && { seq }),
    ...(at !== last.at && { at: Date.parse(at) }),
    ...(step !== last.place.step && { step }),
    ...rest,
    ...(rest.node !== undefined && visit !== 1 && { visit: visit ?? NO_VISIT }),
  };
}

export function unpackEvents(groups: readonly EventGroup[], carrier: Carrier): RunEvent[] {
  const events: RunEvent[] = [];
  let last = BEGINNING;
  for (const { seq = last.seq + 1, at, events: bodies, step = last.place.step, ...rest } of groups) {
    const place = { ...NOWHERE, step, ...rest, visit: visitOf(rest) };
    const time = at === undefined ? last.at : new Date(at).toISOString();
    for (const [offset, body] of bodies.entries()) {
      const event = { seq: seq + offset, at: time, place, body: { ...body } };
      last = { ...event, body: lengthen(event, last, carrier) };
      events.push(toEvent({ seq: last.seq, at: time, ...defined(place), ...last.body }));
    }
  }
  return events;
}

/** Where a node is named, and none of its visits. */
const NO_VISIT = 0;

function visitOf({ node, visit = 1 }: Partial<Place>): number | undefined {
  return node === undefined || visit === NO_VISIT ? undefined : visit;
}

function defined(place: Place): object {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
}

const NOWHERE: Place = { step: -1, path: undefined, node: undefined, visit: undefined, index: undefined };

/** What the first event of a batch follows on. */
const BEGINNING: SplitEvent = { seq: -1, at: '', place: NOWHERE, body: {} };

function split(event: RunEvent): SplitEvent {
  const { seq, at, step, path, node, visit, index, ...body } = { ...NOWHERE, ...event };
  return { seq, at, place: { step, path, node, visit, index }, body };
}

/** Says what the fields of an event are when they are left out. */
type Imply = (event: SplitEvent, last: SplitEvent, carrier: Carrier) => Body;

const IMPLIED: Readonly<Record<string, Imply>> = {
  'tool.requested': (event, _last, carrier) => ({ ...requestOf(carrier), idempotencyKey: firstKey(event, carrier) }),
  'tool.called': (event, _last, carrier) => ({ idempotencyKey: firstKey(event, carrier), attempts: 1 }),
  'step.started': (_event, last) => ({ nodes: last.body['next'] }),
  'checkpoint.saved': () => ({ source: 'loop' }),
};

/** The key of the first call of a task of the run's own graph that nobody has had made again. */
function firstKey({ place: { node, index, visit } }: SplitEvent, { runId }: Carrier): string {
  return [runId, index === undefined ? node : `${node}#${index}`, visit, 0, 0].join(':');
}

/** What a call is asked for with; a batch mostly travels with the call that an event of it asks for. */
function requestOf({ call }: Carrier): Body {
  return call?.request.kind === 'tool' ? { tool: call.request.tool, args: call.request.args } : {};
}

function shorten(event: SplitEvent, last: SplitEvent, carrier: Carrier): object {
  const implied = impliedOf(event, last, carrier);
  return Object.fromEntries(Object.entries(event.body).filter(([field, value]) => !isSame(value, implied[field])));
}

function lengthen(event: SplitEvent, last: SplitEvent, carrier: Carrier): Body {
  const missing = Object.entries(impliedOf(event, last, carrier)).filter(([field]) => !(field in event.body));
  return { ...event.body, ...Object.fromEntries(missing) };
}

function impliedOf(event: SplitEvent, last: SplitEvent, carrier: Carrier): Body {
  return IMPLIED[String(event.body['type'])]?.(event, last, carrier) ?? {};
}

function isSamePlace(a: Place, b: Place): boolean {
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
