import type { Client } from '@temporalio/client';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { createActivities } from '../../src/activities/index.ts';
import { createDataConverter } from '../../src/data-converter.ts';
import { toJson, toJsonObject } from '../../src/graph/json.ts';
import { limitsOfGraph } from '../../src/graph/limits.ts';
import { sliceCatalog } from '../../src/graph/slice-catalog.ts';
import { toTemporalLogger } from '../../src/temporal-logger.ts';
import { toActivityDeps, toCatalog } from '../../src/wiring.ts';
import { RUN_GRAPH, TASK_QUEUE, toWorkflowId } from '../../src/workflows/contract.ts';
import type { RunGraphInput } from '../../src/workflows/contract.ts';
import type { BenchEnvironment } from '../support/environment.ts';
import { loopOf } from './chains.ts';
import type { ChainKind } from './chains.ts';

/** One chain that has run to its end. */
export interface ChainRun {
  readonly ms: number;
  readonly historyEvents: number;
  readonly historyBytes: number;
}

/** Runs a chain of so many steps once. */
export type RunChain = (kind: ChainKind, length: number) => Promise<ChainRun>;

const HANDWRITTEN_QUEUE = 'handwritten';

/** Chains as graphs, interpreted by Holdfast. */
export function onHoldfast({ client, config, store }: BenchEnvironment): RunChain {
  const catalog = toCatalog(config);
  let runs = 0;
  return async (kind, length) => {
    const definition = loopOf(kind, length);
    const id = `bench-${runs++}`;
    const graph = { name: definition.name, version: 1, hash: `${kind}-${length}` };
    const createdBy = { sub: 'bench', roles: ['user'] };
    const limits = limitsOfGraph(definition.limits, catalog.defaults);
    const identity = { id, tenantId: 'bench', threadId: null, graph, createdBy, limits };
    const start: RunGraphInput = {
      interpreterVersion: 1,
      execution: 1,
      identity,
      definition,
      catalog: sliceCatalog(definition, catalog),
      begin: { kind: 'input', input: {} },
    };
    await store.graphs.keepDefinition(graph.hash, toJsonObject(definition));
    const at = new Date().toISOString();
    await store.runs.create({
      ...identity,
      onBusy: 'reject',
      parentRunId: null,
      replay: null,
      limits: {},
      input: {},
      metadata: {},
      redacted: [],
      createdBy: createdBy.sub,
      createdAt: at,
      start: toJson(start),
    });
    return await measure(client, {
      workflowType: RUN_GRAPH,
      workflowId: toWorkflowId(identity),
      taskQueue: TASK_QUEUE,
      args: [start],
    });
  };
}

/** The same chains as workflows that somebody wrote for Temporal, with the same activities. */
export async function byHand({ client, config, store, connection, logger, keep }: BenchEnvironment): Promise<RunChain> {
  const workflowsPath = fileURLToPath(new URL('handwritten.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: toTemporalLogger(logger) });
  const activities = createActivities(toActivityDeps(config, store, process.env));
  keep(
    await Worker.create({
      connection,
      taskQueue: HANDWRITTEN_QUEUE,
      workflowBundle,
      activities,
      dataConverter: createDataConverter(store.blobs),
      maxConcurrentActivityTaskExecutions: 200,
    }),
  );
  let runs = 0;
  return async (kind, length) =>
    await measure(client, {
      workflowType: kind,
      workflowId: `handwritten-${runs++}`,
      taskQueue: HANDWRITTEN_QUEUE,
      args: [length],
    });
}

interface Start {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: [unknown];
}

async function measure(client: Client, { workflowType, ...options }: Start): Promise<ChainRun> {
  const begin = performance.now();
  const handle = await client.workflow.start(workflowType, options);
  await handle.result();
  const ms = performance.now() - begin;
  const { historyLength, historySize } = await handle.describe();
  return { ms, historyEvents: historyLength, historyBytes: historySize ?? 0 };
}
