import { createHash } from 'node:crypto';
import { INTERPRETER_VERSION } from '../../src/graph/definition/definition.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { NOTHING_REDACTED } from '../../src/graph/redaction/redaction.ts';
import { toJson, toJsonObject } from '../../src/graph/values/to-json.ts';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import { pinCatalog } from '../../src/graph/definition/pin-catalog.ts';
import { toCatalog } from '../../src/config/to-catalog.ts';
import { RUN_GRAPH, TASK_QUEUE, toWorkflowId, attributesAtStart } from '../../src/workflows/contract.ts';
import type { RunGraphInput } from '../../src/workflows/contract.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Start } from './timed-run.ts';

/** Writes the rows of a new run of a graph, like the API, and returns the start options of its workflow. */
export type PrepareRun = (definition: GraphDefinition, input?: JsonObject) => Promise<Start>;

export function onHoldfast({ config, store }: BenchEnvironment): PrepareRun {
  const catalog = toCatalog(config);
  let runs = 0;
  return async (definition, input = {}) => {
    const id = `bench-${runs++}`;
    const graph = {
      name: definition.name,
      version: 1,
      hash: createHash('sha256').update(JSON.stringify(definition)).digest('hex'),
    };
    const createdBy = { sub: 'bench', roles: ['user'] };
    const limits = limitsOfGraph(definition.limits, catalog.defaults);
    const identity = { id, tenantId: 'bench', threadId: null, graph, createdBy, limits };
    const start: RunGraphInput = {
      interpreterVersion: INTERPRETER_VERSION,
      execution: 1,
      identity,
      definition,
      catalog: pinCatalog(definition, catalog),
      begin: { kind: 'input', input },
    };
    await store.runs.create({
      ...identity,
      definition: toJsonObject(definition),
      onBusy: 'reject',
      parentRunId: null,
      replay: null,
      limits: {},
      input,
      metadata: {},
      redaction: NOTHING_REDACTED,
      createdBy: createdBy.sub,
      createdAt: new Date().toISOString(),
      start: toJson(start),
    });
    return {
      workflowType: RUN_GRAPH,
      workflowId: toWorkflowId(identity),
      taskQueue: TASK_QUEUE,
      typedSearchAttributes: attributesAtStart(identity),
      args: [start],
    };
  };
}
