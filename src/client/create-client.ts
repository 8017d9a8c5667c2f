import type { Channels } from '../builder/channel-update.ts';
import type { StateGraph } from '../builder/state-graph.ts';
import { createAdmin } from './admin.ts';
import type { Admin } from './admin.ts';
import { createApprovals, createInterventions } from './approvals.ts';
import type { Approvals, Interventions } from './approvals.ts';
import { createGraphs, createTools } from './graphs.ts';
import type { Graphs, Tools } from './graphs.ts';
import { createRuns } from './runs.ts';
import type { Runs } from './runs.ts';
import { createSchedules } from './schedules.ts';
import type { Schedules } from './schedules.ts';
import { createSend, REAL_TIMING } from './send.ts';
import type { ClientOptions, Connection } from './send.ts';
import { streamEvents } from './stream-events.ts';
import type { EventFilter, TenantEvent } from './stream-events.ts';
import { createTypedGraph } from './typed-graph.ts';
import type { TypedGraph } from './typed-graph.ts';
import { createWebhooks, createHooks } from './webhooks.ts';
import type { Webhooks, Hooks } from './webhooks.ts';
import type { Threads } from './threads.ts';
import { createThreads } from './threads.ts';
import type { MemoryCalls } from './memory.ts';
import { createMemoryCalls } from './memory.ts';
import type { Files } from './files.ts';
import { createFiles } from './files.ts';

/** The typed API. Every call rejects with a `HoldfastError` when its request fails. */
export interface Client {
  /** Starts, follows, reads and controls runs. */
  readonly runs: Runs;
  /** The inbox of approvals. */
  readonly approvals: Approvals;
  /** Publishes and reads graphs, with their versions and aliases. */
  readonly graphs: Graphs;
  /** Conversations across runs. */
  readonly threads: Threads;
  /** The tools that the installation offers to graphs. */
  readonly tools: Tools;
  /** Long-term memory of the tenant. */
  readonly memory: MemoryCalls;
  /** Files of the tenant, such as those in messages. */
  readonly files: Files;
  /** The inbox of failures that wait for a person. */
  readonly interventions: Interventions;
  /** Webhooks: URLs that receive events. */
  readonly webhooks: Webhooks;
  /** Schedules, which start runs at given times. */
  readonly schedules: Schedules;
  /** Inbound webhooks: endpoints where messages of other systems start runs or become events of runs. */
  readonly hooks: Hooks;
  /** Operations that need the permission `admin`. */
  readonly admin: Admin;
  /** Yields the events of all runs of the tenant as they occur, until the signal aborts. */
  events(filter?: EventFilter): AsyncGenerator<TenantEvent, void>;
  /** Typed runs of one graph, whose channels define the types of input and output. */
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
