import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads, encodeToPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import { toWorkflowId } from '../../workflows/contract.ts';
import type { RunReference } from '../../workflows/contract.ts';

/** The end of a run whose workflow task fails again and again: the API terminates the workflow. */
export interface PutAside {
  readonly message: string;
  /** The cancel that it is the answer to. */
  readonly cancel: AskedCancel | null;
}

interface AskedCancel {
  readonly signalId: string;
  readonly by: string;
  readonly reason: string | null;
}

type Terminated = temporal.api.history.v1.IWorkflowExecutionTerminatedEventAttributes;

const IDENTITY = 'holdfast';

/** Terminates one execution of a run's workflow. @throws a gRPC error NOT_FOUND when it has ended */
export async function putAside(
  { workflowService, options: { namespace, loadedDataConverter } }: Client,
  run: RunReference & { readonly executionRunId: string },
  aside: PutAside,
): Promise<void> {
  await workflowService.terminateWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: toWorkflowId(run), runId: run.executionRunId },
    identity: IDENTITY,
    reason: truncate(`Holdfast has put the run aside: ${aside.message}`, MAX_MESSAGE),
    details: { payloads: (await encodeToPayloads(loadedDataConverter, aside)) ?? [] },
  });
}

/** @returns `null` for a workflow that somebody else has terminated */
export async function readPutAside(
  { options: { loadedDataConverter } }: Client,
  { identity, details }: Terminated,
): Promise<PutAside | null> {
  if (identity !== IDENTITY) return null;
  const [aside] = await decodeArrayFromPayloads(loadedDataConverter, details?.payloads);
  return isPutAside(aside) ? aside : null;
}

function isPutAside(value: unknown): value is PutAside {
  return typeof value === 'object' && value !== null && 'message' in value && 'cancel' in value;
}
