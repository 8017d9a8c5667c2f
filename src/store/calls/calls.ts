import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { RunEvent } from '../../graph/journal/index.ts';
import type { Json, TaskFailure } from '../../graph/values/index.ts';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest, Position } from '../page.ts';
import type { Tables } from '../tables.ts';
import { toFailedAttempt } from './ledger-claims.ts';
import type { FailedAttempt } from './ledger-claims.ts';
import type { LedgerTable } from '../platform-tables.ts';

/** What the ledger has of a call. */
export interface LedgerCall {
  readonly status: LedgerTable['status'];
  /** `null`: nothing was sent yet, or it is too large. */
  readonly request: Json;
  /** The reply of the call. */
  readonly result: Json;
  readonly failure: TaskFailure | null;
  readonly attempts: readonly FailedAttempt[];
  readonly nextAttemptAt: string | null;
}

export interface CallFilter {
  readonly node?: string | undefined;
  readonly kind?: CallKind | undefined;
  /** Those that the history told of until this time. */
  readonly until?: string | undefined;
  /** The oldest come first by default. */
  readonly order?: 'oldest' | 'newest' | undefined;
}

/** Some calls of a run. */
export interface WantedCalls {
  readonly runId: string;
  readonly keys: readonly string[];
  /** Larger answers are left out. */
  readonly maxBytes: number;
}

export interface Calls {
  /** The calls of a run in the order in which its history tells of them, or from its end, by their first events. */
  list(runId: string, filter: CallFilter, page: PageRequest): Promise<Page<BeginOfCall>>;
  /** The first event of the latest call with a key. */
  find(runId: string, key: string): Promise<BeginOfCall | null>;
  /** The last events of some calls, in the order of the history. A large one is without its result. */
  endsOf(wanted: WantedCalls): Promise<readonly EndOfCall[]>;
  /** The first calls after an event that have no end yet; those of models begin unseen. */
  open(runId: string, after: number): Promise<readonly BeginOfCall[]>;
  /** What the ledger has of some calls, by their keys. */
  inLedger(wanted: WantedCalls): Promise<ReadonlyMap<string, LedgerCall>>;
}

export function createCalls(db: Kysely<Tables>): Calls {
  return {
    list: (runId, filter, page) => list(db, { runId, filter }, page),
    async find(runId, key) {
      const row = await beginnings(db, runId)
        .where('call_key', '=', key)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && isBegin(row.body) ? row.body : null;
    },
    endsOf: (wanted) => endsOf(db, wanted),
    open: (runId, after) => listOpenCalls(db, runId, after),
    inLedger: (wanted) => inLedger(db, wanted),
  };
}

function beginnings(db: Kysely<Tables>, runId: string, kind?: CallKind) {
  const types = BEGIN_TYPES.filter((type) => kind === undefined || BEGINNINGS[type].some((one) => one === kind));
  return db.selectFrom('events').select(['seq', 'body']).where('run_id', '=', runId).where('type', 'in', types);
}

/** A key ends its path with the node and perhaps `#n`, unless the path was shortened: then the event says more. */
function mayBeOf(node: string): RawBuilder<boolean> {
  const task = sql`split_part(call_key, ':', 2)`;
  return sql<boolean>`(regexp_replace(${task}, '^.*/|#[0-9]+$', '', 'g') = ${node} or position('~' in ${task}) > 0)`;
}

/** The parts of a history that one page is read from. */
const MAX_READS = 10;

/**
 * Reads on where a filter leaves out what the database could not, so that a page is full while others follow; after some parts
 * that hardly fit, it is shorter, and says where it goes on.
 */
async function list(
  db: Kysely<Tables>,
  { runId, filter }: { readonly runId: string; readonly filter: CallFilter },
  page: PageRequest,
): Promise<Page<BeginOfCall>> {
  const found: BeginOfCall[] = [];
  let { after } = page;
  for (let reads = 1; ; reads += 1) {
    const read = await listPerhaps(db, { runId, filter }, { ...page, after });
    const fitting = read.items.filter(isBegin).filter((event) => fits(event, filter));
    const taken = fitting.slice(0, page.limit - found.length);
    found.push(...taken);
    const last = taken.at(-1);
    if (last && taken.length < fitting.length) return { items: found, next: positionOf(last) };
    const isCut = read.items.length < page.limit && found.length > 0;
    if (read.next === null || isCut || found.length === page.limit || reads === MAX_READS)
      return { items: found, next: read.next };
    after = read.next;
  }
}

/** Lists the calls that fulfill a filter, and perhaps others. */
async function listPerhaps(
  db: Kysely<Tables>,
  { runId, filter: { node, kind, until, order } }: { readonly runId: string; readonly filter: CallFilter },
  { limit, maxBytes, after }: PageRequest,
): Promise<Page<RunEvent>> {
  const rows = beginnings(db, runId, kind)
    .where(isBeyond(order, after))
    .where(until === undefined ? sql<boolean>`true` : sql<boolean>`(body->>'at')::timestamptz <= ${until}::timestamptz`)
    .where(node === undefined ? sql<boolean>`true` : mayBeOf(node));
  const page = await readPage(db, rows, {
    limit,
    maxBytes,
    order: order === 'newest' ? sql`seq desc` : sql`seq`,
    payloads: ['body'],
    positionOf: ({ body }) => positionOf(body),
  });
  return mapPage(page, ({ body }) => body);
}

function isBeyond(order: CallFilter['order'], after: Position | undefined): RawBuilder<boolean> {
  if (!after) return sql<boolean>`true`;
  return order === 'newest' ? sql<boolean>`seq < ${Number(after.id)}` : sql<boolean>`seq > ${Number(after.id)}`;
}

function positionOf({ at, seq }: RunEvent): Position {
  return { at, id: String(seq) };
}

function fits(event: BeginOfCall, { node, kind }: CallFilter): boolean {
  return (node === undefined || event.node === node) && (kind === undefined || kindOf(event) === kind);
}

async function endsOf(db: Kysely<Tables>, { runId, keys, maxBytes }: WantedCalls): Promise<readonly EndOfCall[]> {
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
    return event && isEnd(event) ? [event] : [];
  });
}

async function inLedger(
  db: Kysely<Tables>,
  { runId, keys, maxBytes }: WantedCalls,
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

/** The event that a call begins with in a history; that of a model comes with its answer. */
export type BeginOfCall = RunEvent & { readonly type: keyof typeof BEGINNINGS };
/** The event that the call of a tool, function or node type ends with. */
export type EndOfCall = RunEvent & { readonly type: (typeof ENDS)[number] };

/** The kinds of calls that begin with events of a type. */
export const BEGINNINGS = {
  'model.called': ['model'],
  'tool.requested': ['tool'],
  'compensation.requested': ['tool'],
  'function.requested': ['function', 'node'],
} as const satisfies Partial<Record<RunEvent['type'], readonly CallKind[]>>;
const BEGIN_TYPES = ['model.called', 'tool.requested', 'compensation.requested', 'function.requested'] as const;
export const ENDS = ['tool.called', 'function.called'] as const;

function isBegin(event: RunEvent): event is BeginOfCall {
  return Object.hasOwn(BEGINNINGS, event.type);
}

function isEnd(event: RunEvent): event is EndOfCall {
  return ENDS.some((type) => type === event.type);
}

/** The kind of the call that an event begins. */
export function kindOf(event: BeginOfCall): CallKind {
  if (event.type === 'model.called') return 'model';
  if (event.type !== 'function.requested') return 'tool';
  return event.nodeType === undefined ? 'function' : 'node';
}

/** The name of the model, tool or code that is called, by the event that a call begins with. */
export function nameOf(event: BeginOfCall): string {
  switch (event.type) {
    case 'model.called':
      return event.model;
    case 'function.requested':
      return event.function ?? event.nodeType ?? '';
    default:
      return event.tool;
  }
}

/** The calls that are read at most; those of one run are hardly ever as many. */
const MAX_OPEN = 100;

/** Those of tools and code; a compensation's end is not told by its key. */
const TOLD_AT_ONCE = ['tool.requested', 'function.requested'] as const;

/** The time of an event, which stands at its begin; PostgreSQL can't parse all that may follow. */
const BEGAN_AT = sql<Date>`substring(left(events.body::text, 100) from '"at":"([^"]+)"')::timestamptz`;

/** Reads the first calls after an event whose end neither the history nor the ledger has. */
async function listOpenCalls(db: Kysely<Tables>, runId: string, after: number): Promise<readonly BeginOfCall[]> {
  const hasEnd = sql<boolean>`exists (
    select from events ends
    where ends.run_id = events.run_id and ends.call_key = events.call_key and ends.seq > events.seq
      and ends.type = any(${[...ENDS]}::text[])
  )`;
  // A failure from before the event is that of the same call before a person ordered it again.
  const hasEndInLedger = sql<boolean>`exists (
    select from ledger where ledger.key = events.call_key
      and (ledger.status = 'completed' or (ledger.status = 'failed' and ledger.updated_at >= ${BEGAN_AT}))
  )`;
  const rows = db
    .selectFrom('events')
    .select(['seq', 'body'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .where('type', 'in', TOLD_AT_ONCE)
    .where(sql<boolean>`not ${hasEnd} and not ${hasEndInLedger}`);
  const page = await readPage(db, rows, {
    limit: MAX_OPEN,
    order: sql`seq`,
    payloads: ['body'],
    positionOf: ({ body: { at, seq } }) => ({ at, id: String(seq) }),
  });
  return page.items.map(({ body }) => body).filter(isBegin);
}

/** The characters at the begin of an event in which all stands that comes before its result. */
const HEAD_LENGTH = 8_192;
/** The characters at the end of an event in which all stands that comes after its result. */
const TAIL_LENGTH = 1_024;

/** Fields without quotes in them; what a text holds has its quotes escaped, so that no result matches. */
const FIELDS_AFTER = /(?:,"(?:attempts|durationMs|idempotencyKey|local)":(?:[\d.]+|true|"[^"\\]*"))+\}$/;
const RESULT = ',"result":';

/**
 * Reads the end of a call from both ends of its text, as written by `JSON.stringify`, without the result between them.
 * @returns `null` for an event without a result
 */
function withoutResult(head: string, tail: string): RunEvent | null {
  const until = head.indexOf(RESULT);
  const [after] = FIELDS_AFTER.exec(tail) ?? [];
  return until < 0 || after === undefined ? null : JSON.parse(head.slice(0, until) + after);
}
