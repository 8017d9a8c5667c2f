import { keyInRun, keyWithoutRun } from '../run/ids.ts';
import type { RecordedBody, RecordedOccurrence } from '../run/occurrence.ts';
import { deepEqual, toJson } from '../values/json.ts';
import type { RunEvent } from './events.ts';
import { firstCallKey } from './packed-events.ts';

/** An occurrence without what the events of its batch say: mostly its number alone. */
export type PackedOccurrence = number | ({ readonly number: number } & Partial<Moment> & PackedBody);

type Moment = Pick<RecordedOccurrence, 'seq' | 'at'>;

/** Without a kind: a call that was completed; without a key, too: the call that the event after it is about. */
type PackedBody = RecordedBody | { readonly kind?: undefined; readonly key?: string };

/** The batch that occurrences travel in. */
interface Surroundings {
  readonly runId: string;
  readonly events: readonly RunEvent[];
}

export function packOccurrences(
  occurrences: readonly RecordedOccurrence[],
  { runId, events }: Surroundings,
): PackedOccurrence[] {
  const cursor = openCursor(events);
  return occurrences.map(({ number, seq, at, ...body }) => {
    const impliedSeq = cursor.expectedSeq();
    const event = cursor.moveTo(seq);
    const packed = {
      ...(seq !== impliedSeq && { seq }),
      ...(at !== timeOf(event) && { at }),
      ...packBody(body, { event, runId }),
    };
    return Object.keys(packed).length > 0 ? { number, ...packed } : number;
  });
}

export function unpackOccurrences(
  packed: readonly PackedOccurrence[],
  { runId, events }: Surroundings,
): RecordedOccurrence[] {
  const cursor = openCursor(events);
  return packed.map((one) => {
    const { number, seq: givenSeq, at: givenAt, ...body } = typeof one === 'number' ? { number: one } : one;
    const seq = givenSeq ?? cursor.expectedSeq();
    const event = cursor.moveTo(seq);
    return { ...unpackBody(body, { event, runId }), number, seq, at: givenAt ?? timeOf(event) };
  });
}

/** Walks through the events of a batch, one occurrence after the other. */
interface EventCursor {
  /** The number of the event before the next call's event; without such an event, of the one before the first. */
  expectedSeq(): number;
  /** Moves past an occurrence that came after the event `seq`. @returns the first event that it led to */
  moveTo(seq: number): RunEvent | undefined;
}

function openCursor(events: readonly RunEvent[]): EventCursor {
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  const calls = events.filter(isCalled);
  const expected = calls.length > 0 ? calls : events.slice(0, 1);
  let at = 0;
  return {
    expectedSeq: () => (expected[at]?.seq ?? 0) - 1,
    moveTo(seq) {
      while ((expected[at]?.seq ?? Infinity) <= seq + 1) at += 1;
      return bySeq.get(seq + 1);
    },
  };
}

type Called = RunEvent & { readonly type: 'tool.called' | 'model.called' };

function isCalled(event: RunEvent): event is Called {
  return event.type === 'tool.called' || event.type === 'model.called';
}

function timeOf(event: RunEvent | undefined): number {
  return event ? Date.parse(event.at) : 0;
}

/** What a body follows from. */
interface Origin {
  readonly runId: string;
  readonly event: RunEvent | undefined;
}

function packBody(body: RecordedBody, origin: Origin): PackedBody {
  const implied = impliedBy(origin);
  if (implied?.kind === body.kind && deepEqual(toJson(implied), toJson(body))) return {};
  if (!('key' in body)) return body;
  const key = keyWithoutRun(origin.runId, body.key);
  return body.kind === 'call.completed' && !body.reply ? { key } : { ...body, key };
}

function unpackBody(packed: PackedBody, origin: Origin): RecordedBody {
  const body = packed.kind === undefined ? (completed(packed.key) ?? impliedBy(origin)) : packed;
  if (!body) throw new TypeError('A journal batch holds an occurrence without its event');
  return 'key' in body ? { ...body, key: keyInRun(origin.runId, body.key) } : body;
}

function completed(key: string | undefined): RecordedBody | null {
  return key === undefined ? null : { kind: 'call.completed', key };
}

/** The end of the call that an event is about. */
function impliedBy({ event, runId }: Origin): RecordedBody | null {
  if (!event || !isCalled(event)) return null;
  const key = event.type === 'tool.called' ? event.idempotencyKey : firstCallKey(event, { runId });
  const { error } = event;
  if (!error) return { kind: 'call.completed', key };
  const isLocal = event.type === 'tool.called' && event.local;
  return { kind: 'call.failed', key, failure: { callFailed: true, error }, ...(isLocal && { isLocal }) };
}
