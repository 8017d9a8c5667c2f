import type { RegisteredFunction } from './activities/call-function.ts';
import { createGuardedFetch } from './activities/http/guarded-fetch.ts';
import type { ActivityDeps } from './activities/index.ts';
import { createGenerate } from './activities/models/generate.ts';
import { createEnvironmentSecrets } from './activities/secrets.ts';
import { createHttpTool } from './activities/tools/http-tool.ts';
import type { ApiSettings } from './api/environment.ts';
import type { Config } from './config.ts';
import type { Catalog } from './graph/catalog.ts';
import { parseDuration } from './graph/duration.ts';
import { mapValues } from './graph/map-values.ts';
import type { Store } from './store/store.ts';

/** What graphs may know of an installation: data, without the code and the secrets behind it. */
export function toCatalog({ models, tools, functions, nodeTypes, defaults }: Config): Catalog {
  return {
    models: mapValues(models, ({ price, timeout, retry }) => ({ price, timeout, retry })),
    tools: Object.fromEntries(
      tools.map(({ name, description, parameters, effect, timeout, retry }) => [
        name,
        { description, parameters, effect, timeout, retry },
      ]),
    ),
    functions: mapValues(functions, ({ effect, timeout, retry }) => ({ effect, timeout, retry })),
    ...(nodeTypes.length > 0 && {
      nodeTypes: Object.fromEntries(
        nodeTypes.map(({ name, schema, effect, timeout, retry }) => [name, { schema, effect, timeout, retry }]),
      ),
    }),
    defaults,
  };
}

/** What the API itself goes by. */
export function toApiSettings({ retention, forking }: Config): ApiSettings {
  const { runs, checkpoints } = retention;
  return { retention: { runsMs: ageOf(runs), checkpointsMs: ageOf(checkpoints) }, forking };
}

function ageOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}

/** The code and the secrets behind a catalog, for a worker. */
export function toActivityDeps(
  { models, tools, functions, nodeTypes, http }: Config,
  store: Store,
  environment: NodeJS.ProcessEnv,
): ActivityDeps {
  const deps = { fetch: createGuardedFetch(http.allow), secrets: createEnvironmentSecrets(environment) };
  return {
    store,
    models: mapValues(models, (settings) => createGenerate(settings, deps)),
    tools: Object.fromEntries(tools.map((tool) => [tool.name, 'execute' in tool ? tool : createHttpTool(tool, deps)])),
    functions: mapValues(functions, (registered): RegisteredFunction => registered),
    nodeTypes: Object.fromEntries(nodeTypes.map((type) => [type.name, type])),
  };
}
