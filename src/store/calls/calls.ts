import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { EventOf, RunEvent } from '../../graph/journal/index.ts';
import type { Json, TaskFailure } from '../../graph/values/index.ts';
import { toEventPosition } from '../events.ts';
import { ifGiven, mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import { toFailedAttempt } from './ledger-claims.ts';
import type { FailedAttempt } from './ledger-claims.ts';
import type { LedgerStatus } from '../column-values.ts';

/** The ledger's record of a call. */
export interface LedgerCall {
  readonly status: LedgerStatus;
  /** `null` when nothing was sent yet, or the request is too large. */
  readonly request: Json;
  /** The result of the call. */
  readonly result: Json;
  readonly failure: TaskFailure | null;
  readonly attempts: readonly FailedAttempt[];
  readonly nextAttemptAt: string | null;
}

export interface CallFilter {
  readonly node?: string | undefined;
  readonly kind?: CallKind | undefined;
  /** Only calls that the history contains up to this time. */
  readonly until?: string | undefined;
  /** The order by begin; oldest first by default. */
  readonly order?: 'oldest' | 'newest' | undefined;
}

/** Some calls of a run by their keys. */
export interface CallSelection {
  readonly runId: string;
  readonly keys: readonly string[];
  /** Larger results are left out. */
  readonly maxBytes: number;
}

export interface Calls {
  /** Lists the calls of a run in the order of their first events in its history, or in the reverse order. */
  list(runId: string, filter: CallFilter, page: PageRequest): Promise<Page<BeginOfCall>>;
  /** Finds the first event of the latest call with a key. */
  find(runId: string, key: string): Promise<BeginOfCall | null>;
  /** Reads the last events of some calls in the order of the history. The result of a large event is left out. */
  endsOf(calls: CallSelection): Promise<readonly EndOfCall[]>;
  /**
   * Lists the first calls after an event that have not ended. Model calls are not included, as their begin is not
   * recorded.
   */
  open(runId: string, after: number): Promise<readonly BeginOfCall[]>;
  /** Reads the ledger's records of some calls, by key. */
  inLedger(calls: CallSelection): Promise<ReadonlyMap<string, LedgerCall>>;
}

/** @internal */
export function createCalls(db: Kysely<Tables>): Calls {
  return {
    list: (runId, filter, page) => listLedgerCalls(db, runId, filter, page),
    async find(runId, key) {
      const row = await listBeginnings(db, runId)
        .where('call_key', '=', key)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && isBeginOfCall(row.body) ? row.body : null;
    },
    endsOf: (calls) => readEndsOfCalls(db, calls),
    open: (runId, after) => listOpenCalls(db, runId, after),
    inLedger: (calls) => readLedgerRows(db, calls),
  };
}

function listBeginnings(db: Kysely<Tables>, runId: string, kind?: CallKind) {
  const types = Object.entries(BEGINNINGS).flatMap(([type, kinds]) =>
    kind === undefined || kinds.some((one) => one === kind) ? [type] : [],
  );
  return db.selectFrom('events').select(['seq', 'body']).where('run_id', '=', runId).where('type', 'in', types);
}

/** A call key ends its path with the node and optionally `#n`. For a shortened path, only the event can decide. */
function mayBeOf(node: string): RawBuilder<boolean> {
  const task = sql`split_part(call_key, ':', 2)`;
  return sql<boolean>`(regexp_replace(${task}, '^.*/|#[0-9]+$', '', 'g') = ${node} or position('~' in ${task}) > 0)`;
}

/** The most reads of the history for one page. */
const MAX_READS = 10;

/**
 * The filter is only partly applied in the database, so this continues to read until the page is full. After
 * `MAX_READS` reads it returns a shorter page with the position to continue from.
 */
async function listLedgerCalls(
  db: Kysely<Tables>,
  runId: string,
  filter: CallFilter,
  page: PageRequest,
): Promise<Page<BeginOfCall>> {
  const found: BeginOfCall[] = [];
  let { after } = page;
  for (let reads = 1; ; reads += 1) {
    const read = await listCandidates(db, runId, filter, { ...page, after });
    const fitting = read.items.filter(isBeginOfCall).filter((event) => fitsSelection(event, filter));
    const taken = fitting.slice(0, page.limit - found.length);
    found.push(...taken);
    const last = taken.at(-1);
    if (last && taken.length < fitting.length) return { items: found, next: toEventPosition(last.seq, last.at) };
    const isCut = read.items.length < page.limit && found.length > 0;
    if (read.next === null || isCut || found.length === page.limit || reads === MAX_READS)
      return { items: found, next: read.next };
    after = read.next;
  }
}

/** Lists the calls that fulfill a filter, and possibly others that the database can't exclude. */
async function listCandidates(
  db: Kysely<Tables>,
  runId: string,
  { node, kind, until, order }: CallFilter,
  { limit, maxBytes, after }: PageRequest,
): Promise<Page<RunEvent>> {
  const rows = listBeginnings(db, runId, kind)
    .where(ifGiven(after, ({ id }) => (order === 'newest' ? sql`seq < ${Number(id)}` : sql`seq > ${Number(id)}`)))
    .where(ifGiven(until, (time) => sql`(body->>'at')::timestamptz <= ${time}::timestamptz`))
    .where(ifGiven(node, mayBeOf));
  const page = await readPage(db, rows, {
    limit,
    maxBytes,
    order: order === 'newest' ? sql`seq desc` : sql`seq`,
    payloads: ['body'],
    positionOf: ({ body }) => toEventPosition(body.seq, body.at),
  });
  return mapPage(page, ({ body }) => body);
}

function fitsSelection(event: BeginOfCall, { node, kind }: CallFilter): boolean {
  return (node === undefined || event.node === node) && (kind === undefined || kindOfCall(event) === kind);
}

async function readEndsOfCalls(
  db: Kysely<Tables>,
  { runId, keys, maxBytes }: CallSelection,
): Promise<readonly EndOfCall[]> {
  if (keys.length === 0) return [];
  const isSmall = sql<boolean>`octet_length(body::text) <= ${maxBytes}`;
  const rows = await db
    .selectFrom('events')
    .select([
      sql<RunEvent | null>`case when ${isSmall} then body end`.as('body'),
      sql<string>`left(body::text, ${HEAD_LENGTH})`.as('head'),
      sql<string>`right(body::text, ${TAIL_LENGTH})`.as('tail'),
    ])
    .where('run_id', '=', runId)
    .where('call_key', 'in', keys)
    .where('type', 'in', ENDS)
    .orderBy('seq')
    .execute();
  return rows.flatMap(({ body, head, tail }) => {
    const event = body ?? withoutResult(head, tail);
    return event && isEndOfCall(event) ? [event] : [];
  });
}

async function readLedgerRows(
  db: Kysely<Tables>,
  { runId, keys, maxBytes }: CallSelection,
): Promise<ReadonlyMap<string, LedgerCall>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom('ledger')
    .select(['key', 'status', 'request', 'failure', 'attempts', 'next_attempt_at'])
    .select(sql<Json>`case when octet_length(result::text) <= ${maxBytes} then result end`.as('result'))
    .where('run_id', '=', runId)
    .where('key', 'in', keys)
    .execute();
  return new Map(
    rows.map(({ key, next_attempt_at, attempts, ...row }) => [
      key,
      { ...row, attempts: attempts.map(toFailedAttempt), nextAttemptAt: next_attempt_at?.toISOString() ?? null },
    ]),
  );
}

export type CallKind = 'model' | 'tool' | 'function' | 'node';

/** The first event of a call in the history. A model call has only one event, which contains its answer. */
export type BeginOfCall = EventOf<keyof typeof BEGINNINGS>;
/** The last event of a call of a tool, function or node type. */
export type EndOfCall = EventOf<(typeof ENDS)[number]>;

/** The kind of call that each type of first event begins. */
export const BEGINNINGS = {
  'model.called': ['model'],
  'tool.requested': ['tool'],
  'compensation.requested': ['tool'],
  'function.requested': ['function', 'node'],
} as const satisfies Partial<Record<RunEvent['type'], readonly CallKind[]>>;
export const ENDS = ['tool.called', 'function.called'] as const;

function isBeginOfCall(event: RunEvent): event is BeginOfCall {
  return Object.hasOwn(BEGINNINGS, event.type);
}

function isEndOfCall(event: RunEvent): event is EndOfCall {
  return ENDS.some((type) => type === event.type);
}

/** Returns the kind of the call that an event begins. */
export function kindOfCall(event: BeginOfCall): CallKind {
  if (event.type === 'model.called') return 'model';
  if (event.type !== 'function.requested') return 'tool';
  return event.nodeType === undefined ? 'function' : 'node';
}

/** Returns the name of the called model, tool or code from the first event of a call. */
export function nameOfCalled(event: BeginOfCall): string {
  switch (event.type) {
    case 'model.called':
      return event.model;
    case 'function.requested':
      return event.function ?? event.nodeType ?? '';
    default:
      return event.tool;
  }
}

/** The most open calls that are read; a run rarely has as many. */
const MAX_OPEN = 100;

/**
 * First events of calls of tools and code. A compensation is not included, because its key does not identify its end.
 */
const OPEN_CALL_TYPES = ['tool.requested', 'function.requested'] as const;

/** The time of an event, taken from the start of its text, because PostgreSQL can't parse every event as JSON. */
const BEGAN_AT = sql<Date>`substring(left(events.body::text, 100) from '"at":"([^"]+)"')::timestamptz`;

/** Reads the first calls after an event whose end is neither in the history nor in the ledger. */
async function listOpenCalls(db: Kysely<Tables>, runId: string, after: number): Promise<readonly BeginOfCall[]> {
  const hasEnd = sql<boolean>`exists (
    select from events ends
    where ends.run_id = events.run_id and ends.call_key = events.call_key and ends.seq > events.seq
      and ends.type = any(${[...ENDS]}::text[])
  )`;
  // A failure older than the event is ignored: it precedes the takeover of the call.
  const hasEndInLedger = sql<boolean>`exists (
    select from ledger where ledger.key = events.call_key
      and (ledger.status = 'completed' or (ledger.status = 'failed' and ledger.updated_at >= ${BEGAN_AT}))
  )`;
  const rows = db
    .selectFrom('events')
    .select(['seq', 'body'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .where('type', 'in', OPEN_CALL_TYPES)
    .where(sql<boolean>`not ${hasEnd} and not ${hasEndInLedger}`);
  const page = await readPage(db, rows, {
    limit: MAX_OPEN,
    order: sql`seq`,
    payloads: ['body'],
    positionOf: ({ body }) => toEventPosition(body.seq, body.at),
  });
  return page.items.map(({ body }) => body).filter(isBeginOfCall);
}

/** The number of characters at the start of an event that contain all fields before its result. */
const HEAD_LENGTH = 8_192;
/** The number of characters at the end of an event that contain all fields after its result. */
const TAIL_LENGTH = 1_024;

/** Fields without quotes in their values. Quotes inside a string are escaped, so no text in a result can match. */
const FIELDS_AFTER = /(?:,"(?:attempts|durationMs|idempotencyKey|local)":(?:[\d.]+|true|"[^"\\]*"))+\}$/;
const RESULT = ',"result":';

/**
 * Parses the end of a call from the start and the end of its text, as written by `JSON.stringify`, without the result
 * between them.
 * @returns `null` for an event without a result
 */
function withoutResult(head: string, tail: string): RunEvent | null {
  const until = head.indexOf(RESULT);
  const [after] = FIELDS_AFTER.exec(tail) ?? [];
  return until < 0 || after === undefined ? null : JSON.parse(head.slice(0, until) + after);
}
