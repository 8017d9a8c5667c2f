import type { z } from 'zod';
import type { BulkResultSchema, BulkSchema } from '../api/schemas/bulk.ts';
import type { DecideSchema } from '../api/schemas/approval.ts';
import type { EditSchema, ForkSchema, ReplaySchema } from '../api/schemas/run.ts';
import type { NewTicketSchema } from '../api/schemas/stream.ts';
import type { RunEvent } from '../graph/journal/index.ts';
import type {
  Approval,
  Call,
  Checkpoint,
  Explanation,
  PageRequest,
  Recording,
  Run,
  RunDiff,
  RunGraph,
  State,
  StreamTicket,
} from './answers.ts';
import { followRun, followTokens } from './follow-run.ts';
import type { FollowOptions } from './follow-run.ts';
import { createListing, toPath, toRunQuery } from './listing.ts';
import type { Listing, RunFilter } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';
import { startRun } from './start-run.ts';
import type { NewRun, StartOptions } from './start-run.ts';
import { awaitStored } from './approvals.ts';
import { waitForRun } from './wait-for-run.ts';
import type { WaitOptions } from './wait-for-run.ts';
import type { CONTROLS } from '../api/schemas/controls.ts';
import type { ProgressEvent, TokenEvent } from './stream-events.ts';

export type Fork = z.input<typeof ForkSchema>;
export type Replay = z.input<typeof ReplaySchema>;
/** An edit with the ETag of the state that it changes. */
export type StateEdit = z.input<typeof EditSchema> & Pick<TaggedState, 'etag'>;
export type NewTicket = z.input<typeof NewTicketSchema>;
export type Bulk = z.input<typeof BulkSchema>;
export type BulkResult = z.output<typeof BulkResultSchema>;
export type Decide = z.input<typeof DecideSchema>;

/** Filter of calls by node and callee. */
export interface CallFilter extends PageRequest {
  readonly node?: string;
  readonly kind?: Call['kind'];
  /** Only calls until this time (RFC 3339). */
  readonly until?: string;
  /** `newest` lists the latest first. */
  readonly order?: 'oldest' | 'newest';
}

export interface HistoryPage extends PageRequest {
  /** Skips the events up to this `seq`. */
  readonly after?: number;
}

export interface CheckpointPage extends PageRequest {
  /** Includes the checkpoints of forks and parents. */
  readonly tree?: boolean;
}

export interface TaggedState extends State {
  /** Identifies this state in an edit. */
  readonly etag: string;
}

/** Operations on runs: start, read, wait, control, edit, fork. */
export interface Runs extends Controls {
  /** Starts a run of a published graph or of an inline definition. @returns the run at that time, or after `waitMs` */
  start(run: NewRun, options?: StartOptions): Promise<Run>;
  /** Cancels, pauses, resumes or retries up to 1,000 runs independently; `dryRun` lists them only. */
  bulk(bulk: Bulk, options?: CallOptions): Promise<BulkResult>;
  get(id: string, options?: CallOptions): Promise<Run>;
  /** Waits until the run needs a person or has ended. @returns the run at that time, or at the time-out */
  wait(id: string, options?: WaitOptions): Promise<Run>;
  /** Yields each event once, in order, as it occurs, until the run has ended. @returns the run at that time */
  follow(id: string, options?: FollowOptions): AsyncGenerator<RunEvent, Run>;
  /** Like `follow`, with the text of models while it is generated (`model.delta`); these pieces may be incomplete. */
  followTokens(
    id: string,
    options?: Pick<FollowOptions, 'after' | 'signal'>,
  ): AsyncGenerator<RunEvent | TokenEvent | ProgressEvent, Run>;
  /**
   * Creates a ticket for one stream of a run in a browser, valid for a minute.
   * @param after the last `seq` that the browser knows
   */
  streamTicket(id: string, ticket?: NewTicket, options?: CallOptions): Promise<StreamTicket>;
  /** Lists runs, newest first. */
  list(filter?: RunFilter, options?: CallOptions): Listing<Run>;
  /** Lists the events, oldest first, at most 1,000 on a page. */
  history(id: string, page?: HistoryPage, options?: CallOptions): Listing<RunEvent>;
  /** Returns the values of all channels, now or at a checkpoint, and the position of the run. */
  state(id: string, checkpoint?: string, options?: CallOptions): Promise<TaggedState>;
  /** @throws HoldfastError `STALE` when the state has changed since it was read */
  edit(id: string, edit: StateEdit, options?: CallOptions): Promise<TaggedState>;
  /** Lists the checkpoints, newest first. */
  checkpoints(id: string, page?: CheckpointPage, options?: CallOptions): Listing<Checkpoint>;
  /** Starts a new run at a checkpoint of this one, optionally with other values or another graph. */
  fork(id: string, fork: Fork, options?: CallOptions): Promise<Run>;
  /** Replays the run with its recorded answers; nothing is called. The run records the first divergence. */
  replay(id: string, replay?: Replay, options?: CallOptions): Promise<Run>;
  /** Compares two runs: the checkpoint where they diverged, and the results of each. */
  diff(id: string, other: string, options?: CallOptions): Promise<RunDiff>;
  /** Returns the graph that the run interprets, also while it runs, and the graphs inside it. */
  graph(id: string, options?: CallOptions): Promise<RunGraph>;
  /** Returns the recording that replays an ended run. */
  recording(id: string, options?: CallOptions): Promise<Recording>;
  /** Lists the calls with request and answer, newest last. */
  calls(id: string, filter?: CallFilter, options?: CallOptions): Listing<Call>;
  /** A call with its whole answer. */
  call(id: string, key: string, options?: CallOptions): Promise<Call>;
  /** Explains why the run waits or has stopped, since when, and the next actions with who may take them. */
  explain(id: string, options?: CallOptions): Promise<Explanation>;
  /** Approves; without `approvalId` only the first approval of the run. */
  approve(id: string, decision?: Decide, options?: CallOptions): Promise<Approval>;
  /** Rejects, like `approve`. */
  reject(id: string, decision?: Decide, options?: CallOptions): Promise<Approval>;
}

export function createRuns(connection: Connection): Runs {
  const { send } = connection;
  const get = async <T>(at: string, options?: CallOptions): Promise<T> =>
    await send.json({ method: 'GET', path: at }, options);
  const post = async <T>(at: string, body: unknown, options?: CallOptions): Promise<T> =>
    await send.json({ method: 'POST', path: at, body }, options);
  const decideAs =
    (decision: 'approve' | 'reject'): Runs['approve'] =>
    async (id, body = {}, options) =>
      await awaitStored(connection, await post<Approval>(toPath`/api/runs/${id}/${decision}`, body, options), options);
  return {
    ...createControls(connection),
    ...createStates(connection),
    start: async (run, options) => await startRun(connection, run, options),
    bulk: async (bulk, options) => await post('/api/runs/bulk', bulk, options),
    get: async (id, options) => await get(toPath`/api/runs/${id}`, options),
    wait: async (id, options) => await waitForRun(connection, id, options),
    follow: (id, options) => followRun(connection, id, options),
    followTokens: (id, options) => followTokens(connection, id, options),
    streamTicket: async (id, ticket = {}, options) =>
      await post(toPath`/api/runs/${id}/stream-ticket`, ticket, options),
    list: (filter = {}, options) => createListing(send, { path: '/api/runs', query: toRunQuery(filter) }, options),
    history: (id, page, options) =>
      createListing(send, { path: toPath`/api/runs/${id}/history`, query: { ...page } }, options),
    checkpoints: (id, page, options) =>
      createListing(send, { path: toPath`/api/runs/${id}/checkpoints`, query: { ...page } }, options),
    fork: async (id, fork, options) => await post(toPath`/api/runs/${id}/fork`, fork, options),
    replay: async (id, replay = {}, options) => await post(toPath`/api/runs/${id}/replay`, replay, options),
    diff: async (id, other, options) =>
      await send.json({ method: 'GET', path: toPath`/api/runs/${id}/diff`, query: { with: other } }, options),
    graph: async (id, options) => await get(toPath`/api/runs/${id}/graph`, options),
    recording: async (id, options) => await get(toPath`/api/runs/${id}/recording`, options),
    calls: (id, filter, options) =>
      createListing(send, { path: toPath`/api/runs/${id}/calls`, query: { ...filter } }, options),
    call: async (id, key, options) => await get(toPath`/api/runs/${id}/calls/${key}`, options),
    explain: async (id, options) => await get(toPath`/api/runs/${id}/explain`, options),
    approve: decideAs('approve'),
    reject: decideAs('reject'),
  };
}

function createStates({ send }: Connection): Pick<Runs, 'state' | 'edit'> {
  return {
    state: async (id, checkpoint, options) =>
      await send.tagged<State>({ method: 'GET', path: toPath`/api/runs/${id}/state`, query: { checkpoint } }, options),
    edit: async (id, { etag, ...body }, options) =>
      await send.tagged<State>(
        { method: 'PATCH', path: toPath`/api/runs/${id}/state`, headers: { 'if-match': etag }, body },
        options,
      ),
  };
}

type ControlName = (typeof CONTROLS)[number];

/** Sends a control to a run. @returns the run after it */
type SendControl<Body> = (id: string, ...rest: ControlMethods<Body>) => Promise<Run>;

/** The body is optional where it may be empty. */
type ControlMethods<Body> =
  Partial<Body> extends Body
    ? readonly [body?: Body, options?: CallOptions]
    : readonly [body: Body, options?: CallOptions];

/** The controls of runs, by the names of their routes. */
export type Controls = { readonly [C in ControlName as C['route']]: SendControl<z.input<C['body']>> };

function createControls({ send }: Connection): Controls {
  const control =
    <Body>(route: keyof Controls) =>
    async (id: string, ...[body, options]: readonly [body?: Body, options?: CallOptions]): Promise<Run> =>
      await send.json({ method: 'POST', path: toPath`/api/runs/${id}/${route}`, body: body ?? {} }, options);
  return {
    pause: control('pause'),
    resume: control('resume'),
    replan: control('replan'),
    signal: control('signal'),
    cancel: control('cancel'),
    retry: control('retry'),
    skip: control('skip'),
    fail: control('fail'),
  };
}
