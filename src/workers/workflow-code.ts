import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { BundleOptions, WorkflowBundleOption } from '@temporalio/worker';
import { payloadConverterPath } from '../process/data-converter.ts';
import type { Logger } from '../process/logger.ts';
import { isBuilt, ownModule } from '../process/own-code.ts';
import { toTemporalLogger } from '../process/temporal-logger.ts';

type BundlerHook = NonNullable<BundleOptions['webpackConfigHook']>;

/**
 * Makes the bundler write faster code for Node 20: it keeps modern syntax, and joined modules call one another without
 * getters. It leaves out no module that is only loaded, as those to preload are. The source map has no sources in it, and
 * names files as the project does.
 */
const tuneBundler: BundlerHook = (config) => {
  for (const rule of config.module?.rules ?? []) {
    const compiler = compilerIn(rule);
    if (compiler) compiler.target = 'es2022';
  }
  const joined = { concatenateModules: true, providedExports: true, usedExports: true, sideEffects: false };
  return {
    ...config,
    devtool: 'inline-nosources-source-map',
    output: { ...config.output, devtoolModuleFilenameTemplate: nameOf },
    optimization: { ...config.optimization, ...joined },
  };
};

/** The path of a module below the project. That of a module that is left out has the machine's path after a bar. */
function nameOf({ resourcePath }: { readonly resourcePath: string }): string {
  return resourcePath.replace(/\|.*/s, '');
}

/** The settings of the TypeScript compiler in a rule of the bundler. */
function compilerIn(rule: unknown): { target?: unknown } | null {
  const found = ['use', 'options', 'jsc'].reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), rule);
  return isObject(found) ? found : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const path = (name: string): string => ownModule(name, import.meta.url);

/**
 * The workflow's code, for workers and replays. The interpreter is preloaded, so all cached workflows share
 * one copy. It holds no data of a run, only memo tables and the meter of the current expression.
 */
export const workflowCode = {
  workflowsPath: path('../workflows/index'),
  workflowInterceptorModules: [path('../workflows/interceptors')],
  payloadConverterPath,
  preloadModules: ['advance', 'compile', 'definition', 'journal', 'run', 'signals', 'values'].map((room) =>
    path(`../graph/${room}/index`),
  ),
  webpackConfigHook: tuneBundler,
};

/** The build writes the bundled code here. */
const BUILT_BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

/**
 * Opens the workflow's code: the file that `HOLDFAST_WORKFLOW_BUNDLE` names, or the one of the build. Code that runs
 * from its source is bundled, which takes some seconds.
 */
export async function openWorkflowCode(environment: NodeJS.ProcessEnv, logger: Logger): Promise<WorkflowBundleOption> {
  const codePath = environment['HOLDFAST_WORKFLOW_BUNDLE'] || (isBuilt ? BUILT_BUNDLE : null);
  if (codePath !== null) return { codePath };
  return await (bundling ??= bundleWorkflowCode({ ...workflowCode, logger: toTemporalLogger(logger) }));
}

/** The engine's own code stays the same as long as a process lives. */
let bundling: Promise<WorkflowBundleOption> | null = null;
