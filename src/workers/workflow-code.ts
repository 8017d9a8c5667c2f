import { fileURLToPath } from 'node:url';
import type { BundleOptions } from '@temporalio/worker';
import { payloadConverterPath } from '../process/data-converter.ts';

type BundlerHook = NonNullable<BundleOptions['webpackConfigHook']>;

/**
 * Makes the bundler write faster code for Node 20: it keeps modern syntax, and joined modules call
 * one another without getters.
 */
const tuneBundler: BundlerHook = (config) => {
  for (const rule of config.module?.rules ?? []) {
    const compiler = compilerIn(rule);
    if (compiler) compiler.target = 'es2022';
  }
  const joined = { concatenateModules: true, providedExports: true, usedExports: true };
  return { ...config, optimization: { ...config.optimization, ...joined } };
};

/** The settings of the TypeScript compiler in a rule of the bundler. */
function compilerIn(rule: unknown): { target?: unknown } | null {
  const found = ['use', 'options', 'jsc'].reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), rule);
  return isObject(found) ? found : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * The workflow's code, for workers and replays. The interpreter is preloaded, so all cached workflows share
 * one copy. It holds no data of a run, only memo tables and the meter of the current expression.
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
