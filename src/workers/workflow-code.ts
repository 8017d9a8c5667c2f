import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { BundleOptions, WorkflowBundleOption } from '@temporalio/worker';
import { payloadConverterPath } from '../process/data-converter.ts';
import type { Logger } from '../process/logger.ts';
import { isBuilt, ownModule } from '../process/own-code.ts';
import { toTemporalLogger } from '../process/temporal-logger.ts';

type BundlerHook = NonNullable<BundleOptions['webpackConfigHook']>;

/**
 * Configures the bundler to write faster code for Node 20: it keeps modern syntax, and concatenated modules call each other
 * without getters. It keeps modules that are only loaded, because some of them are preloaded. The source map contains no
 * sources, and its file names are relative to the project.
 */
const tuneBundler: BundlerHook = (config) => {
  for (const rule of config.module?.rules ?? []) {
    const compiler = compilerSettingsIn(rule);
    if (compiler) compiler.target = 'es2022';
  }
  const joined = { concatenateModules: true, providedExports: true, usedExports: true, sideEffects: false };
  return {
    ...config,
    devtool: 'inline-nosources-source-map',
    output: { ...config.output, devtoolModuleFilenameTemplate: moduleName },
    optimization: { ...config.optimization, ...joined },
  };
};

/** A module as the bundler describes it for the source map. */
interface BundledModule {
  readonly resourcePath: string;
}

/** Returns the path of a module in the project. The bundler adds the machine's path of an omitted module after a bar. */
function moduleName({ resourcePath }: BundledModule): string {
  return resourcePath.replace(/\|.*/s, '');
}

/** Finds the settings of the TypeScript compiler in a rule of the bundler; `null` for other rules. */
function compilerSettingsIn(rule: unknown): { target?: unknown } | null {
  const found = ['use', 'options', 'jsc'].reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), rule);
  return isObject(found) ? found : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const modulePath = (name: string): string => ownModule(name, import.meta.url);

/**
 * The options of the workflow's code for workers and replays. The interpreter is preloaded, so that all cached workflows
 * share one copy. It contains no data of a run, only memo tables and the meter of the current expression.
 */
export const workflowCode = {
  workflowsPath: modulePath('../workflows/index'),
  workflowInterceptorModules: [modulePath('../workflows/interceptors')],
  payloadConverterPath,
  preloadModules: ['advance', 'compile', 'definition', 'journal', 'run', 'signals', 'values'].map((room) =>
    modulePath(`../graph/${room}/index`),
  ),
  webpackConfigHook: tuneBundler,
};

/** The file of the bundled code, which the build writes. */
const BUILT_BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

/**
 * Opens the workflow's code: the file that `HOLDFAST_WORKFLOW_BUNDLE` names, or the one of the build. When the engine runs
 * from its sources, the code is bundled first, which takes some seconds.
 */
export async function openWorkflowCode(environment: NodeJS.ProcessEnv, logger: Logger): Promise<WorkflowBundleOption> {
  const codePath = environment['HOLDFAST_WORKFLOW_BUNDLE'] || (isBuilt ? BUILT_BUNDLE : null);
  if (codePath !== null) return { codePath };
  return await (currentBundling ??= bundleWorkflowCode({ ...workflowCode, logger: toTemporalLogger(logger) }));
}

/** The bundle of this process; the engine's code does not change while a process runs. */
let currentBundling: Promise<WorkflowBundleOption> | null = null;
