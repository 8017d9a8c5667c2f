import type { Payload } from '@temporalio/common';
import { isReferencePayload } from '@temporalio/common/lib/internal-non-workflow/extstore-helpers.js';
import type { coresdk } from '@temporalio/proto';
import type { ReadSignal, ReceivingExecution } from '../process/payloads/read-signal.ts';

type ActivationMessage = coresdk.workflow_activation.IWorkflowActivation;
type ActivationJob = coresdk.workflow_activation.IWorkflowActivationJob;
type PayloadHeaders = Record<string, Payload>;

/**
 * Reads the payloads of an activation that any client of Temporal may have sent, one by one, before the SDK reads the whole
 * activation: an unreadable payload would fail the workflow task again and again.
 * @throws when the payload of a signal can't be read now but may be readable later
 */
export async function readUntrustedPayloads(
  { jobs }: ActivationMessage,
  receiver: ReceivingExecution,
  readSignal: ReadSignal,
): Promise<void> {
  for (const job of jobs ?? []) {
    dropUnused(job);
    const { signalWorkflow } = job;
    const [payload] = signalWorkflow?.input ?? [];
    if (signalWorkflow && payload) signalWorkflow.input = [await readSignal(payload, receiver)];
  }
}

/** Removes payloads that no code of a run uses, so that they are not fetched. */
function dropUnused({ signalWorkflow, queryWorkflow, doUpdate }: ActivationJob): void {
  if (signalWorkflow) signalWorkflow.headers = withoutReferences(signalWorkflow.headers);
  if (queryWorkflow) {
    queryWorkflow.headers = withoutReferences(queryWorkflow.headers);
    // The arguments of a query are short, so a reference is not one of the engine's queries.
    if (queryWorkflow.arguments?.some(isReferencePayload)) queryWorkflow.arguments = [];
  }
  // Runs have no update handlers; the SDK refuses an update by its name.
  if (doUpdate) Object.assign(doUpdate, { input: [], headers: {} });
}

export function withoutReferences(headers: PayloadHeaders | null | undefined): PayloadHeaders {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([, payload]) => !isReferencePayload(payload)));
}
