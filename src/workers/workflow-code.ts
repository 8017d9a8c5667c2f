import { fileURLToPath } from 'node:url';
import type { BundleOptions } from '@temporalio/worker';
import { payloadConverterPath } from '../process/data-converter.ts';

type BundlerHook = NonNullable<BundleOptions['webpackConfigHook']>;

/**
 * Has the bundler make faster code: Node 20 knows syntax that it would rewrite into calls of helpers, such as the
 * spreading of objects, and modules that are joined call one another directly instead of through getters.
 */
const tuneBundler: BundlerHook = (config) => {
  for (const rule of config.module?.rules ?? []) {
    const compiler = compilerIn(rule);
    if (compiler) compiler.target = 'es2022';
  }
  const joined = { concatenateModules: true, providedExports: true, usedExports: true };
  return { ...config, optimization: { ...config.optimization, ...joined } };
};

/** The settings of the TypeScript compiler, in the rule of the bundler that has it. */
function compilerIn(rule: unknown): { target?: unknown } | null {
  const found = ['use', 'options', 'jsc'].reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), rule);
  return isObject(found) ? found : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * What a worker, and a replay, needs to know of the workflow's code. The interpreter is preloaded: all cached workflows
 * share one copy of it and of the evaluators below it, instead of evaluating one each. It holds nothing of a run:
 * memo tables, and the meter of the expression that is being evaluated.
 */
export const workflowCode = {
  workflowsPath: path('../workflows/index.ts'),
  workflowInterceptorModules: [path('../workflows/interceptors.ts')],
  payloadConverterPath,
  preloadModules: ['advance', 'compile', 'definition', 'journal', 'run', 'signals', 'values'].map((room) =>
    path(`../graph/${room}/index.ts`),
  ),
  webpackConfigHook: tuneBundler,
};
