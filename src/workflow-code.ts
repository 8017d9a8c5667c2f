import { fileURLToPath } from 'node:url';

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * What a worker, and a replay, needs to know of the workflow's code. The interpreter is preloaded: all cached workflows
 * share one copy of it and of the evaluators below it, instead of evaluating one each. It holds nothing of a run:
 * memo tables, and the meter of the expression that is being evaluated.
 */
export const workflowCode = {
  workflowsPath: path('./workflows/index.ts'),
  workflowInterceptorModules: [path('./workflows/interceptors.ts')],
  payloadConverterPath: path('./workflows/payload-converter.ts'),
  preloadModules: [
    path('./graph/advance.ts'),
    path('./graph/compile.ts'),
    path('./graph/run-view.ts'),
    path('./graph/signals/signals.ts'),
  ],
};
