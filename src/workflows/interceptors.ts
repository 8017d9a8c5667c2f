import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** Signals with a reserved name would fail the workflow task, and with it the run; they have no meaning here. */
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
