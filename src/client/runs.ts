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
  State,
  StreamTicket,
} from './answers.ts';
import type { Connection } from './connection.ts';
import { followRun, followTokens } from './follow-run.ts';
import type { FollowOptions } from './follow-run.ts';
import type { TokenEvent } from './stream-run.ts';
import { createListing, path, toRunQuery } from './listing.ts';
import type { Listing, RunFilter } from './listing.ts';
import type { CallOptions } from './send.ts';
import { startRun } from './start-run.ts';
import type { NewRun, StartOptions } from './start-run.ts';
import { storedDecision } from './approvals.ts';
import { waitForRun } from './wait-for-run.ts';
import type { WaitOptions } from './wait-for-run.ts';
import type { CONTROLS } from '../api/schemas/controls.ts';

export type Fork = z.input<typeof ForkSchema>;
export type Replay = z.input<typeof ReplaySchema>;
/** The tag is that of the state that is corrected. */
export type StateEdit = z.input<typeof EditSchema> & Pick<TaggedState, 'etag'>;
export type NewTicket = z.input<typeof NewTicketSchema>;
export type Bulk = z.input<typeof BulkSchema>;
export type BulkResult = z.output<typeof BulkResultSchema>;
export type Decide = z.input<typeof DecideSchema>;

/** Of which node, and of what. */
export interface CallFilter extends PageRequest {
  readonly node?: string;
  readonly kind?: Call['kind'];
  /** Only calls until this time (RFC 3339). */
  readonly until?: string;
  /** `newest`: the latest first. */
  readonly order?: 'oldest' | 'newest';
}

export interface TaggedState extends State {
  /** Names this state in an edit of it. */
  readonly etag: string;
}

/** Runs: start, read, wait, control, correct, fork. */
export interface Runs extends Controls {
  /** Starts a run of a published graph, or of a whole definition. @returns the run as it is then, or after `waitMs` */
  start(run: NewRun, options?: StartOptions): Promise<Run>;
  /** Cancels, pauses, resumes or retries up to 1,000 runs, each for itself; `dryRun` says which. */
  bulk(bulk: Bulk, options?: CallOptions): Promise<BulkResult>;
  get(id: string, options?: CallOptions): Promise<Run>;
  /** Waits until the run needs somebody or has ended. @returns the run as it is then, or when the time is up */
  wait(id: string, options?: WaitOptions): Promise<Run>;
  /** Gives each event once, in order, as it comes, until the run has ended. @returns the run as it is then */
  follow(id: string, options?: FollowOptions): AsyncGenerator<RunEvent, Run>;
  /** As `follow`, with what models say while they say it (`model.delta`); of that, something may be missing. */
  followTokens(
    id: string,
    options?: Pick<FollowOptions, 'after' | 'signal'>,
  ): AsyncGenerator<RunEvent | TokenEvent, Run>;
  /** A ticket for one stream of a run, for a browser: it holds for a minute. @param after the last `seq` that it knows */
  streamTicket(id: string, ticket?: NewTicket, options?: CallOptions): Promise<StreamTicket>;
  /** The newest first. */
  list(filter?: RunFilter, options?: CallOptions): Listing<Run>;
  /** What has happened, the oldest event first. @param page 1,000 events at most; `after` leaves out those up to a `seq` */
  history(id: string, page?: PageRequest & { readonly after?: number }, options?: CallOptions): Listing<RunEvent>;
  /** The values of all channels, now or at a checkpoint, and where the run stands. */
  state(id: string, checkpoint?: string, options?: CallOptions): Promise<TaggedState>;
  /** @throws HoldfastError `STALE` when the state has changed since it was read */
  edit(id: string, edit: StateEdit, options?: CallOptions): Promise<TaggedState>;
  /** The newest first. @param page `tree`: with those of its forks and parents */
  checkpoints(id: string, page?: PageRequest & { tree?: boolean }, options?: CallOptions): Listing<Checkpoint>;
  /** Begins a new run at a checkpoint of this one, with other values or another graph if you like. */
  fork(id: string, fork: Fork, options?: CallOptions): Promise<Run>;
  /** Plays the run again on its recorded answers; nothing is called. The run tells the first divergence. */
  replay(id: string, replay?: Replay, options?: CallOptions): Promise<Run>;
  /** Compares two runs: where they parted, and what came of each. */
  diff(id: string, other: string, options?: CallOptions): Promise<RunDiff>;
  /** All that it takes to play an ended run again. */
  recording(id: string, options?: CallOptions): Promise<Recording>;
  /** What was sent and came back, the newest last. */
  calls(id: string, filter?: CallFilter, options?: CallOptions): Listing<Call>;
  /** A call with its whole answer. */
  call(id: string, key: string, options?: CallOptions): Promise<Call>;
  /** Why it waits or has stopped, since when, and who can do what now. */
  explain(id: string, options?: CallOptions): Promise<Explanation>;
  /** Approves; without `approvalId` the first approval of the run, and no other. */
  approve(id: string, decision?: Decide, options?: CallOptions): Promise<Approval>;
  /** Rejects; as `approve`. */
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
      await storedDecision(connection, await post<Approval>(path`/api/runs/${id}/${decision}`, body, options), options);
  return {
    ...createControls(connection),
    ...createStates(connection),
    start: async (run, options) => await startRun(connection, run, options),
    bulk: async (bulk, options) => await post('/api/runs/bulk', bulk, options),
    get: async (id, options) => await get(path`/api/runs/${id}`, options),
    wait: async (id, options) => await waitForRun(connection, id, options),
    follow: (id, options) => followRun(connection, id, options),
    followTokens: (id, options) => followTokens(connection, id, options),
    streamTicket: async (id, ticket = {}, options) => await post(path`/api/runs/${id}/stream-ticket`, ticket, options),
    list: (filter = {}, options) => createListing(send, { path: '/api/runs', query: toRunQuery(filter) }, options),
    history: (id, page, options) =>
      createListing(send, { path: path`/api/runs/${id}/history`, query: { ...page } }, options),
    checkpoints: (id, page, options) =>
      createListing(send, { path: path`/api/runs/${id}/checkpoints`, query: { ...page } }, options),
    fork: async (id, fork, options) => await post(path`/api/runs/${id}/fork`, fork, options),
    replay: async (id, replay = {}, options) => await post(path`/api/runs/${id}/replay`, replay, options),
    diff: async (id, other, options) =>
      await send.json({ method: 'GET', path: path`/api/runs/${id}/diff`, query: { with: other } }, options),
    recording: async (id, options) => await get(path`/api/runs/${id}/recording`, options),
    calls: (id, filter, options) =>
      createListing(send, { path: path`/api/runs/${id}/calls`, query: { ...filter } }, options),
    call: async (id, key, options) => await get(path`/api/runs/${id}/calls/${key}`, options),
    explain: async (id, options) => await get(path`/api/runs/${id}/explain`, options),
    approve: decideAs('approve'),
    reject: decideAs('reject'),
  };
}

function createStates({ send }: Connection): Pick<Runs, 'state' | 'edit'> {
  return {
    state: async (id, checkpoint, options) =>
      await send.tagged<State>({ method: 'GET', path: path`/api/runs/${id}/state`, query: { checkpoint } }, options),
    edit: async (id, { etag, ...body }, options) =>
      await send.tagged<State>(
        { method: 'PATCH', path: path`/api/runs/${id}/state`, headers: { 'if-match': etag }, body },
        options,
      ),
  };
}

type Control = (typeof CONTROLS)[number];

/** Sends a control to a run. @returns the run after it */
type SendControl<Body> = (id: string, ...rest: ControlRest<Body>) => Promise<Run>;

/** The body may be left out where it may be empty. */
type ControlRest<Body> =
  Partial<Body> extends Body
    ? readonly [body?: Body, options?: CallOptions]
    : readonly [body: Body, options?: CallOptions];

/** The controls of runs, by the names of their routes. */
export type Controls = { readonly [C in Control as C['route']]: SendControl<z.input<C['body']>> };

function createControls({ send }: Connection): Controls {
  const control =
    <Body>(route: keyof Controls) =>
    async (id: string, ...[body, options]: readonly [body?: Body, options?: CallOptions]): Promise<Run> =>
      await send.json({ method: 'POST', path: path`/api/runs/${id}/${route}`, body: body ?? {} }, options);
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
