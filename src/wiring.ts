import type { RegisteredFunction } from './activities/call-function.ts';
import { builtInSteps } from './activities/context/processing-steps.ts';
import { measureModels } from './activities/context/model-measures.ts';
import { createGuardedFetch } from './activities/http/guarded-fetch.ts';
import type { ActivityDeps } from './activities/index.ts';
import { createGenerate } from './activities/models/generate.ts';
import { createOwnModel } from './activities/models/own-model.ts';
import { createEnvironmentSecrets } from './activities/secrets.ts';
import { createCodeTool } from './activities/tools/code-tool.ts';
import { createHttpTool } from './activities/tools/http-tool.ts';
import type { Tool } from './activities/tools/tool.ts';
import type { ApiSettings } from './api/environment.ts';
import type { Config } from './config.ts';
import type { ToolConfig } from './config/tools.ts';
import type { Catalog, ToolEntry } from './graph/catalog.ts';
import { parseDuration, toMs } from './graph/duration.ts';
import { mapValues } from './graph/map-values.ts';
import type { Logger } from './process/logger.ts';
import type { Store } from './store/store.ts';

/** What graphs may know of an installation: data, without the code and the secrets behind it. */
export function toCatalog({ models, tools, functions, nodeTypes, messageProcessors, defaults }: Config): Catalog {
  return {
    models: mapValues(models, ({ price, contextWindow, timeout, retry }) => ({ price, contextWindow, timeout, retry })),
    tools: Object.fromEntries(tools.map((tool) => [tool.name, toToolEntry(tool)])),
    functions: mapValues(functions, ({ effect, timeout, retry }) => ({ effect, timeout, retry })),
    ...(nodeTypes.length > 0 && {
      nodeTypes: Object.fromEntries(
        nodeTypes.map(({ name, schema, effect, timeout, retry }) => [name, { schema, effect, timeout, retry }]),
      ),
    }),
    messageProcessors: [...Object.keys(builtInSteps), ...Object.keys(messageProcessors)],
    defaults,
  };
}

function toTool(
  tool: ToolConfig,
  deps: Parameters<typeof createHttpTool>[1] & Parameters<typeof createCodeTool>[1],
): Tool {
  if ('url' in tool) return createHttpTool(tool, deps);
  return 'schema' in tool ? createCodeTool(tool, deps) : tool;
}

function toToolEntry(tool: ToolConfig): ToolEntry {
  const { description, parameters, effect, timeout, retry, approval, roles, onFailure, taskQueue } = tool;
  return { description, parameters, effect, timeout, retry, approval, roles, onFailure, taskQueue };
}

/** What the API itself goes by. */
export function toApiSettings({ retention, forking, shutdownGrace }: Config): ApiSettings {
  const { runs, checkpoints } = retention;
  return {
    retention: { runsMs: ageOf(runs), checkpointsMs: ageOf(checkpoints) },
    forking,
    shutdownGraceMs: toMs(shutdownGrace),
  };
}

function ageOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}

export interface WorkerSupplies {
  readonly store: Store;
  readonly logger: Logger;
  /** Where secrets are, unless the configuration says otherwise. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The code and the secrets behind a catalog, for a worker. */
export function toActivityDeps(
  { models, tools, functions, nodeTypes, messageProcessors, tokenCounters, http, secrets }: Config,
  { store, logger, environment }: WorkerSupplies,
): ActivityDeps {
  const deps = {
    fetch: createGuardedFetch(http.allow),
    secrets: secrets ?? createEnvironmentSecrets(environment),
    logger,
  };
  return {
    store,
    models: mapValues(models, (settings) =>
      'generate' in settings ? createOwnModel(settings.generate) : createGenerate(settings, deps),
    ),
    measures: measureModels(models, tokenCounters),
    messageProcessors,
    tools: Object.fromEntries(tools.map((tool) => [tool.name, toTool(tool, deps)])),
    functions: mapValues(functions, (registered): RegisteredFunction => registered),
    nodeTypes: Object.fromEntries(nodeTypes.map((type) => [type.name, type])),
  };
}
