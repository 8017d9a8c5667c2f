import type { z } from 'zod';
import type { Channels } from '../builder/channel-update.ts';
import type { StateGraph } from '../builder/state-graph.ts';
import { createAdmin } from './admin.ts';
import type { Admin } from './admin.ts';
import { createApprovals, createInterventions } from './approvals.ts';
import type { Approvals, Interventions } from './approvals.ts';
import type { Connection } from './connection.ts';
import { createGraphs } from './graphs.ts';
import type { Graphs } from './graphs.ts';
import { createRuns } from './runs.ts';
import type { Runs } from './runs.ts';
import { createSchedules } from './schedules.ts';
import type { Schedules } from './schedules.ts';
import { createSend } from './send.ts';
import type { ClientOptions, CallOptions } from './send.ts';
import { streamEvents } from './stream-events.ts';
import type { EventFilter, TenantEvent } from './stream-events.ts';
import { REAL_TIMING } from './timing.ts';
import { createTypedGraph } from './typed-graph.ts';
import type { TypedGraph } from './typed-graph.ts';
import { createHooks } from './hooks.ts';
import type { Hooks } from './hooks.ts';
import { createWebhooks } from './webhooks.ts';
import type { Webhooks } from './webhooks.ts';
import type { FileSchema } from '../api/schemas/file.ts';
import { path, createListing } from './listing.ts';
import type { Listing } from './listing.ts';
import type { MemorySchema, NewMemorySchema } from '../api/schemas/memory.ts';
import type { PageRequest, Checkpoint, Run, State, Thread, Tool } from './answers.ts';

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

export type StoredFile = z.output<typeof FileSchema>;

/** A file to store: a `Blob` with its type, or bytes. */
export type NewFile = Blob | Uint8Array<ArrayBuffer>;

/** Files of the tenant. */
export interface Files {
  /** Stores a file of at most 64 MiB. */
  store(file: NewFile, options?: CallOptions): Promise<StoredFile>;
  /** Returns the content of a file as a `Blob` with its media type. */
  read(id: string, options?: CallOptions): Promise<Blob>;
}

function createFiles({ send }: Connection): Files {
  return {
    store: async (file, options) => await send.json({ method: 'POST', path: '/api/blobs', file }, options),
    read: async (id, options) => await send.file({ method: 'GET', path: path`/api/blobs/${id}` }, options),
  };
}

export type MemoryEntry = z.output<typeof MemorySchema>;
export type NewMemory = z.input<typeof NewMemorySchema> & Pick<MemoryEntry, 'key'>;

export interface MemoryFilter extends PageRequest {
  /** Only entries whose keys begin with this prefix. */
  readonly prefix?: string | undefined;
  /** Words to search for; the best entries come first, on one page. */
  readonly query?: string | undefined;
}

/** Long-term memory of the tenant, separate from the state of runs. */
export interface MemoryCalls {
  /** Stores a value under a key and replaces an earlier one. */
  put(namespace: string, entry: NewMemory, options?: CallOptions): Promise<MemoryEntry>;
  get(namespace: string, key: string, options?: CallOptions): Promise<MemoryEntry>;
  remove(namespace: string, key: string, options?: CallOptions): Promise<void>;
  list(namespace: string, filter?: MemoryFilter, options?: CallOptions): Listing<MemoryEntry>;
}

function createMemoryCalls({ send }: Connection): MemoryCalls {
  return {
    put: async (namespace, { key, ...body }, options) =>
      await send.json({ method: 'PUT', path: path`/api/memory/${namespace}/${key}`, body }, options),
    get: async (namespace, key, options) =>
      await send.json({ method: 'GET', path: path`/api/memory/${namespace}/${key}` }, options),
    remove: async (namespace, key, options) =>
      void (await send.response({ method: 'DELETE', path: path`/api/memory/${namespace}/${key}` }, options)),
    list: (namespace, filter, options) =>
      createListing(send, { path: path`/api/memory/${namespace}`, query: { ...filter } }, options),
  };
}

/** Conversations across runs. */
export interface Threads {
  get(id: string, options?: CallOptions): Promise<Thread>;
  /** Returns the state from which the next run continues. */
  state(id: string, options?: CallOptions): Promise<State>;
  /** Lists the checkpoints, newest first. */
  checkpoints(id: string, page?: PageRequest, options?: CallOptions): Listing<Checkpoint>;
  /** Lists the runs, newest first. */
  runs(id: string, page?: PageRequest, options?: CallOptions): Listing<Run>;
}

function createThreads({ send }: Connection): Threads {
  return {
    get: async (id, options) => await send.json({ method: 'GET', path: path`/api/threads/${id}` }, options),
    state: async (id, options) => await send.json({ method: 'GET', path: path`/api/threads/${id}/state` }, options),
    checkpoints: (id, page, options) =>
      createListing(send, { path: path`/api/threads/${id}/checkpoints`, query: { ...page } }, options),
    runs: (id, page, options) =>
      createListing(send, { path: path`/api/threads/${id}/runs`, query: { ...page } }, options),
  };
}

/** The tools of the installation. */
export interface Tools {
  list(page?: PageRequest, options?: CallOptions): Listing<Tool>;
}

function createTools({ send }: Connection): Tools {
  return { list: (page, options) => createListing(send, { path: '/api/tools', query: { ...page } }, options) };
}
