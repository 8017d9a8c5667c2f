import { defineQuery, setHandler } from '@temporalio/workflow';
import { toRunView } from '../graph/journal/index.ts';
import type { RunEvent } from '../graph/journal/index.ts';
import { toPublicApproval } from '../graph/run/index.ts';
import type { Run } from '../graph/run/index.ts';
import { isJsonObject, jsonSize, own, toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { QUERIES } from './contract.ts';
import type { TooLarge } from './contract.ts';

/** Data that queries read. */
interface QuerySource {
  readonly run: () => Run;
  readonly latestEvents: () => readonly RunEvent[];
}

/** In bytes. The server also refuses larger answers, but with an unhelpful message. */
const MAX_QUERY_ANSWER_BYTES = 1_000_000;
const MAX_QUERIED_EVENTS = 200;

/** Registers the queries for Temporal's own tools and for the API. */
export function answerQueries({ run, latestEvents }: QuerySource): void {
  setHandler(defineQuery<Json, [unknown?]>(QUERIES.state), (channels) => boundAnswer(stateAnswer(run(), channels)), {
    description: 'Channel values and next nodes; takes a list of channels',
  });
  setHandler(
    defineQuery<Json, [unknown?]>(QUERIES.history),
    (window) => boundAnswer(eventWindow(latestEvents(), window)),
    {
      description: 'The latest events: {"after"?, "limit"?}',
    },
  );
  setHandler(
    defineQuery<Json>(QUERIES.approvals),
    () => boundAnswer(toJson(Object.values(run().approvals).map(toPublicApproval))),
    {
      description: 'Approvals, pending and decided',
    },
  );
  setHandler(
    defineQuery<Json>(QUERIES.status),
    () => boundAnswer(toJson({ ...toRunView(run()), lastSeq: run().counters.seq })),
    {
      description: 'Status, step, next nodes, what is waited for, usage',
    },
  );
  setHandler(
    defineQuery<Json, [unknown?]>(QUERIES.signalResult),
    (id) => boundAnswer(toJson(run().signalResults.find((result) => result.id === id) ?? null)),
    {
      description: 'The result of a decision, by its id',
    },
  );
}

function stateAnswer(run: Run, channels: unknown): Json {
  const { next, checkpointId } = toRunView(run);
  const names = Array.isArray(channels) ? channels.map(String) : Object.keys(run.root.channels);
  const values = Object.fromEntries(names.map((name) => [name, own(run.root.channels, name) ?? null]));
  return { values, next, checkpoint: checkpointId };
}

function eventWindow(events: readonly RunEvent[], window: unknown): Json {
  const after = numberField(window, 'after') ?? 0;
  const limit = Math.min(Math.max(1, numberField(window, 'limit') ?? MAX_QUERIED_EVENTS), MAX_QUERIED_EVENTS);
  return toJson(events.filter(({ seq }) => seq > after).slice(0, limit));
}

function numberField(value: unknown, field: string): number | null {
  const found = isJsonObject(value) ? value[field] : undefined;
  return typeof found === 'number' ? found : null;
}

function boundAnswer(answer: Json): Json {
  const bytes = jsonSize(answer);
  if (bytes <= MAX_QUERY_ANSWER_BYTES) return answer;
  const message = 'The answer is too large for a query; ask for less, or use the API';
  return { truncated: true, bytes, message } satisfies TooLarge;
}

/** The latest events of a run, for queries and the Temporal Web UI. The store has all of them. */
export interface LatestEvents {
  add(events: readonly RunEvent[]): void;
  all(): readonly RunEvent[];
}

const MAX_LATEST_EVENTS = 200;
/** In bytes, because the server refuses a larger answer. A single event may exceed it. */
const MAX_SIZE = 1_000_000;

/** @param initial the latest events of the previous execution */
export function createLatestEvents(initial: readonly RunEvent[]): LatestEvents {
  const kept: RunEvent[] = [];
  const sizes: number[] = [];
  let total = 0;
  const add = (events: readonly RunEvent[]): void => {
    for (const event of events.slice(-MAX_LATEST_EVENTS)) {
      const size = jsonSize(event);
      kept.push(event);
      sizes.push(size);
      total += size;
    }
    while (kept.length > 1 && (kept.length > MAX_LATEST_EVENTS || total > MAX_SIZE)) {
      kept.shift();
      total -= sizes.shift() ?? 0;
    }
  };
  add(initial);
  return { add, all: () => [...kept] };
}
