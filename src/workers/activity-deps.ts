import { reportHeartbeat } from '../activities/calls/time-limit.ts';
import { createPublishDeltas } from '../activities/open-deltas.ts';
import type { RegisteredFunction } from '../activities/registered-code.ts';
import { createCallSlots } from '../activities/calls/call-admission.ts';
import { measureModels } from '../activities/context/estimate-tokens.ts';
import { createOpenPromptFiles } from '../activities/files/open-prompt-files.ts';
import { createGuardedFetch, createGuardedRequest } from '../network/guarded-request.ts';
import type { ActivityDeps } from '../activities/index.ts';
import { createGenerate } from '../activities/models/generate.ts';
import { measuredModel, createOwnModel } from '../activities/models/own-model.ts';
import { createEnvironmentSecrets } from '../activities/secrets.ts';
import { createCodeTool } from '../activities/tools/code-tool.ts';
import { createHttpTool } from '../activities/tools/http-tool.ts';
import { createMemoryTools } from '../activities/tools/memory-tools.ts';
import type { Tool } from '../activities/tools/tool.ts';
import type { Config } from '../config/load-config.ts';
import { openEmbedder } from '../config/open-embedder.ts';
import type { ToolConfig } from '../config/tool.ts';
import { mapValues } from '../graph/values/index.ts';
import type { Logger } from '../process/logger.ts';
import { withMeaning } from '../store/memory/with-meaning.ts';
import type { Store } from '../store/store.ts';
import { providerName } from '../telemetry/traces/names.ts';

function createTool(
  tool: ToolConfig,
  deps: Parameters<typeof createHttpTool>[1] & Parameters<typeof createCodeTool>[1],
): Tool {
  if ('url' in tool) return createHttpTool(tool, deps);
  return 'schema' in tool ? createCodeTool(tool, deps) : tool;
}

/** Untrusted clients choose the addresses of files, so `http.allow`, which is for tools, does not apply to them. */
const REMEDY_OF_FILES = 'A message names public addresses only; store the file by POST /api/blobs instead';

/** The provider of models whose code is in the configuration. */
const OWN_PROVIDER = 'custom';

/** The most concurrent calls of a worker process. They mostly wait for other systems, so they only need memory. */
export const CALL_SLOTS = 400;

/** The most prompts with files that a worker process holds at a time; each takes up to about 100 MB while it is sent. */
const FILE_SLOTS = 16;

/** The parts of a process from which its workers are made. */
export interface WorkerSupplies {
  readonly store: Store;
  readonly logger: Logger;
  /** The source of secrets, unless the configuration has its own resolver. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Creates the tools, models and other code of a configuration for the activities of a worker. */
export function toActivityDeps(config: Config, { store, logger, environment }: WorkerSupplies): ActivityDeps {
  const { models, tools, functions, nodeTypes, messageProcessors, tokenCounters, http, secrets, ceilings, telemetry } =
    config;
  const deps = {
    fetch: createGuardedFetch(http.allow),
    request: createGuardedRequest(http.allow),
    secrets: secrets ?? createEnvironmentSecrets(environment),
    heartbeat: reportHeartbeat,
  };
  const { memory } = withMeaning(store, openEmbedder(config, environment), (problem) => logger.warn(problem));
  return {
    store,
    logger,
    slots: createCallSlots({ total: CALL_SLOTS, perTenant: ceilings.openCallsPerTenant }),
    fileSlots: createCallSlots({ total: FILE_SLOTS, perTenant: FILE_SLOTS }),
    models: mapValues(models, (settings, name) =>
      'generate' in settings
        ? measuredModel(createOwnModel(settings.generate), { provider: OWN_PROVIDER, model: name })
        : measuredModel(createGenerate(settings, deps), {
            provider: providerName(settings.provider),
            model: settings.model,
          }),
    ),
    measures: measureModels(models, tokenCounters),
    messageProcessors,
    publishDeltas: createPublishDeltas(store.deltas, logger),
    openFiles: createOpenPromptFiles({
      files: store.files,
      request: createGuardedRequest([], { remedy: REMEDY_OF_FILES }),
    }),
    tools: {
      ...Object.fromEntries(tools.map((tool) => [tool.name, createTool(tool, deps)])),
      ...createMemoryTools(memory),
    },
    functions: mapValues(functions, (registered): RegisteredFunction => registered),
    nodeTypes: Object.fromEntries(nodeTypes.map((type) => [type.name, type])),
    showsContents: telemetry.captureContent,
  };
}
