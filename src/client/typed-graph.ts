import type { Channels, ChannelInputs, ChannelValues } from '../builder/channel-update.ts';
import type { StateGraph } from '../builder/state-graph.ts';
import type { Graph, Run } from './answers.ts';
import { createGraphs } from './graphs.ts';
import { toPath } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';
import { startRun } from './start-run.ts';
import type { NewRun, StartOptions } from './start-run.ts';
import { waitForRun } from './wait-for-run.ts';
import type { WaitOptions } from './wait-for-run.ts';

/** A run of a graph whose channels are known. */
export interface TypedRun<C> extends Omit<Run, 'output'> {
  /** The values of the output channels; `null` unless the run has completed. */
  readonly output: Partial<ChannelValues<C>> | null;
}

export type TypedStart = StartOptions & Omit<NewRun, 'graph' | 'input'>;

/** A graph of a `StateGraph`, whose channels define the types of input and output. */
export interface TypedGraph<C> {
  /** Publishes the graph. Equal content keeps its version. */
  publish(options?: CallOptions): Promise<Graph>;
  /** Starts a run of the version that `publish` returned, or else of the newest one. */
  start(input: ChannelInputs<C>, options?: TypedStart): Promise<TypedRun<C>>;
  get(runId: string, options?: CallOptions): Promise<TypedRun<C>>;
  /** Like `runs.wait`. */
  wait(runId: string, options?: WaitOptions): Promise<TypedRun<C>>;
}

export function createTypedGraph<C extends Channels, Id extends string>(
  connection: Connection,
  graph: StateGraph<C, Id>,
): TypedGraph<C> {
  const { name } = graph.toJSON();
  let wanted = name;
  return {
    async publish(options) {
      const published = await createGraphs(connection).publish(graph, options);
      wanted = `${name}@${published.version}`;
      return published;
    },
    async start(input, { waitMs, signal, idempotencyKey, ...more } = {}) {
      const options = { waitMs, signal, idempotencyKey };
      return await startRun<RunWithOutput<C>>(connection, { graph: wanted, input, ...more }, options);
    },
    get: async (id, options) =>
      await connection.send.json<RunWithOutput<C>>({ method: 'GET', path: toPath`/api/runs/${id}` }, options),
    wait: async (id, options) => await waitForRun<RunWithOutput<C>>(connection, id, options),
  };
}

type RunWithOutput<C> = Run & TypedRun<C>;
