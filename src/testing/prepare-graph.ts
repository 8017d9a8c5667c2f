import { InvalidGraphError } from '../builder/invalid-graph-error.ts';
import type { Config } from '../config/load-config.ts';
import { toCatalog } from '../config/to-catalog.ts';
import { checkInput, compileShared, missingInput } from '../graph/compile/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import { hasErrors, namesUsed, pinCatalog } from '../graph/definition/index.ts';
import type { GraphDefinition } from '../graph/definition/index.ts';
import { mapValues, toJson } from '../graph/values/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { validateGraph } from '../graph/validate/index.ts';
import { toFakeConfig } from './fake-config.ts';
import type { FakeConfig } from './fake-config.ts';
import type { Pace } from './pace.ts';
import type { AnyGraph, RunOptions } from './run-options.ts';

interface Given {
  readonly config: Config;
  readonly options: Omit<RunOptions, 'config'>;
}

/** A graph that can run, with the fakes that it meets. */
interface PreparedGraph {
  readonly graph: CompiledGraph;
  readonly fakes: FakeConfig;
}

/**
 * Validates a graph as `POST /api/graphs` does, against the configuration and the fakes of a test.
 * @throws InvalidGraphError
 */
export function prepareGraph(given: AnyGraph, { config, options }: Given, pace: Pace): PreparedGraph {
  const definition = toDefinition(given);
  const graphs = mapValues(options.graphs ?? {}, toDefinition);
  const fakes = toFakeConfig({ base: config, fakes: options, used: namesUsed(definition, graphs) }, pace);
  const catalog = { ...toCatalog(fakes.config), graphs };
  const issues = validateGraph(toJson(definition), catalog);
  if (hasErrors(issues)) throw new InvalidGraphError(definition.name, issues);
  return { graph: compileShared(definition, pinCatalog(definition, catalog)), fakes };
}

function toDefinition(graph: AnyGraph): GraphDefinition {
  return 'toJSON' in graph ? graph.toJSON() : graph;
}

/** @throws TypeError that lists all faults of the input */
export function requireInput(graph: CompiledGraph, input: JsonObject): void {
  const missing = missingInput(graph, input).map((name) => `/${name}: it is required`);
  const faults = [...missing, ...checkInput(graph, input).map(({ path, message }) => `${path}: ${message}`)];
  if (faults.length > 0) throw new TypeError(`The graph does not take the input:\n${faults.join('\n')}`);
}
