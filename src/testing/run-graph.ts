import type { ChannelInputs, ChannelValues, Channels } from '../builder/channel-update.ts';
import type { StateGraph } from '../builder/state-graph.ts';
import { parseConfig } from '../config/load-config.ts';
import type { GraphDefinition } from '../graph/definition/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { playGraph } from './play-graph.ts';
import type { AnyGraph, RunOptions } from './run-options.ts';
import type { TestRun } from './test-run.ts';

/**
 * Runs a graph in memory, with the engine's own interpreter: no server, no network, no waiting.
 * @returns the run when it has ended, or only waits for somebody
 * @throws InvalidGraphError if the graph has errors; TypeError if the input or an option can't be used;
 * MissingAnswerError if the run calls something that the test does not answer
 */
export async function runGraph<const C extends Channels, Id extends string>(
  graph: StateGraph<C, Id>,
  input: ChannelInputs<C>,
  options?: RunOptions,
): Promise<TestRun<ChannelValues<C>>>;
export async function runGraph(graph: GraphDefinition, input: JsonObject, options?: RunOptions): Promise<TestRun>;
export async function runGraph(given: AnyGraph, input: object, options: RunOptions = {}): Promise<TestRun> {
  const { config = {}, ...rest } = options;
  return await playGraph(given, input, { config: parseConfig('config', config), options: rest });
}
