import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** Signals of reserved names would fail the activation they come in, and so the run; nobody means anything by them. */
const RESERVED_PREFIX = '__temporal_';

export const interceptors: WorkflowInterceptorsFactory = () => ({
  internals: [
    {
      activate(input, next) {
        const { jobs } = input.activation;
        input.activation.jobs =
          jobs?.filter(({ signalWorkflow }) => !signalWorkflow?.signalName?.startsWith(RESERVED_PREFIX)) ?? [];
        next(input);
      },
    },
  ],
});
