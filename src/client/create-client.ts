import type { Channels } from '../builder/channel-update.ts';
import type { StateGraph } from '../builder/state-graph.ts';
import { createAdmin } from './admin/admin.ts';
import type { Admin } from './admin/admin.ts';
import { createApprovals } from './approvals.ts';
import type { Approvals } from './approvals.ts';
import type { Connection } from './connection.ts';
import { createFiles } from './files/files.ts';
import type { Files } from './files/files.ts';
import { createGraphs } from './graphs/graphs.ts';
import type { Graphs } from './graphs/graphs.ts';
import { createInterventions } from './interventions.ts';
import type { Interventions } from './interventions.ts';
import { createMemoryCalls } from './memory.ts';
import type { MemoryCalls } from './memory.ts';
import { createRuns } from './runs.ts';
import type { Runs } from './runs.ts';
import { createSchedules } from './schedules/schedules.ts';
import type { Schedules } from './schedules/schedules.ts';
import { createSend } from './send.ts';
import type { ClientOptions } from './send.ts';
import { streamEvents } from './streams/stream-events.ts';
import type { EventFilter, TenantEvent } from './streams/stream-events.ts';
import { createThreads } from './threads.ts';
import type { Threads } from './threads.ts';
import { REAL_TIMING } from './timing.ts';
import { createTools } from './tools.ts';
import type { Tools } from './tools.ts';
import { createTypedGraph } from './graphs/typed-graph.ts';
import type { TypedGraph } from './graphs/typed-graph.ts';
import { createHooks } from './hooks.ts';
import type { Hooks } from './hooks.ts';
import { createWebhooks } from './webhooks.ts';
import type { Webhooks } from './webhooks.ts';

/** The API, typed. Every call rejects with a `HoldfastError` when it is not served. */
export interface Client {
  /** Starts, follows, reads and controls runs. */
  readonly runs: Runs;
  /** The inbox of approvals. */
  readonly approvals: Approvals;
  /** Publishes and reads graphs, with their versions and aliases. */
  readonly graphs: Graphs;
  /** Conversations across runs. */
  readonly threads: Threads;
  /** What the installation offers to graphs. */
  readonly tools: Tools;
  /** Long-term memory of the tenant. */
  readonly memory: MemoryCalls;
  /** Files of the tenant, such as those that messages show. */
  readonly files: Files;
  /** The inbox of what has failed and waits for a person. */
  readonly interventions: Interventions;
  /** Addresses that are told of events. */
  readonly webhooks: Webhooks;
  /** Runs that begin at times of their own. */
  readonly schedules: Schedules;
  /** Addresses at which messages of others start runs, or are events of them. */
  readonly hooks: Hooks;
  /** What takes the permission `admin`. */
  readonly admin: Admin;
  /** The events of all runs of the tenant as they come, until the signal is aborted. */
  events(filter?: EventFilter): AsyncGenerator<TenantEvent, void>;
  /** Runs of one graph, whose channels type input and output. */
  graph<const C extends Channels, Id extends string>(graph: StateGraph<C, Id>): TypedGraph<C>;
}

/** Creates a client of the API, for Node and browsers. */
export function createClient(options: ClientOptions): Client {
  const connection: Connection = { send: createSend(options, REAL_TIMING), timing: REAL_TIMING };
  return {
    runs: createRuns(connection),
    approvals: createApprovals(connection),
    graphs: createGraphs(connection),
    threads: createThreads(connection),
    tools: createTools(connection),
    memory: createMemoryCalls(connection),
    files: createFiles(connection),
    interventions: createInterventions(connection),
    webhooks: createWebhooks(connection),
    schedules: createSchedules(connection),
    hooks: createHooks(connection),
    admin: createAdmin(connection),
    events: (filter) => streamEvents(connection, filter),
    graph: (graph) => createTypedGraph(connection, graph),
  };
}
