import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { receiveTraced } from './signal-trace.ts';

/** Signals with a reserved name are dropped: they have no meaning here, and would fail the workflow task of the run. */
const RESERVED_PREFIX = '__temporal_';

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [{ handleSignal: async (input, next) => await receiveTraced(input.headers, () => next(input)) }],
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
