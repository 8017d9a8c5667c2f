import type { Payload } from '@temporalio/common';
import { isReferencePayload } from '@temporalio/common/lib/internal-non-workflow/extstore-helpers.js';
import type { coresdk } from '@temporalio/proto';
import type { ReadSignal, Receiver } from '../process/payloads/read-signal.ts';

type Activation = coresdk.workflow_activation.IWorkflowActivation;
type Job = coresdk.workflow_activation.IWorkflowActivationJob;
type Headers = Record<string, Payload>;

/**
 * Reads what strangers have sent to a workflow, each thing on its own, before Temporal's SDK reads the whole activation: what it
 * can't read fails the workflow task, and would do so again and again.
 * @throws when the payload of a signal can't be read now, and perhaps can later
 */
export async function readStrangers({ jobs }: Activation, receiver: Receiver, readSignal: ReadSignal): Promise<void> {
  for (const job of jobs ?? []) {
    dropUnused(job);
    const { signalWorkflow } = job;
    const [payload] = signalWorkflow?.input ?? [];
    if (signalWorkflow && payload) signalWorkflow.input = [await readSignal(payload, receiver)];
  }
}

/** Takes out what no code of a run looks at: it is not fetched either. */
function dropUnused({ signalWorkflow, queryWorkflow, doUpdate }: Job): void {
  if (signalWorkflow) signalWorkflow.headers = withoutReferences(signalWorkflow.headers);
  if (queryWorkflow) {
    queryWorkflow.headers = withoutReferences(queryWorkflow.headers);
    // A query asks with a few words.
    if (queryWorkflow.arguments?.some(isReferencePayload)) queryWorkflow.arguments = [];
  }
  // Runs have no updates: the SDK refuses them by name.
  if (doUpdate) Object.assign(doUpdate, { input: [], headers: {} });
}

export function withoutReferences(headers: Headers | null | undefined): Headers {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([, payload]) => !isReferencePayload(payload)));
}
