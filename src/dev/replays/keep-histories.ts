import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { DataConverter, Payload } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { extstoreInboundOptions } from '@temporalio/common/lib/internal-non-workflow/external-storage-visitor.js';
import proto from '@temporalio/proto';
import type { PayloadReader } from '../../process/data-converter.ts';
import type { ReceivingExecution } from '../../process/payloads/read-signal.ts';
import { withoutReferences } from '../../workers/read-untrusted-payloads.ts';
import { RUN_GRAPH } from '../../workflows/contract.ts';
import type { HistorySource } from '../stack.ts';

/** The metadata of a stored history. */
export interface KeptHistory {
  readonly workflowId: string;
  readonly executionRunId: string;
  /** The origin of the run, such as a test file. */
  readonly about: string;
}

type FetchedHistory = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

const { History: HistoryProto } = proto.temporal.api.history.v1;
const { Payload: PayloadProto } = proto.temporal.api.common.v1;

/**
 * Stores the history of each execution of each run in a folder, running ones too. Payloads are stored decoded, as the
 * workflow code reads them, so that a replay needs neither the store nor a key.
 * @returns the number of stored histories
 */
export async function keepHistories(source: HistorySource, folder: string, about: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const { workflow } = new Client(source);
  let kept = 0;
  for await (const { workflowId, runId } of workflow.list({ query: `WorkflowType = '${RUN_GRAPH}'` })) {
    const history = await workflow.getHandle(workflowId, runId).fetchHistory();
    // No workflow task has completed in this execution, so there is nothing to replay.
    if (!history.events?.some((event) => event.workflowTaskCompletedEventAttributes)) continue;
    await readSignals(history, { namespace: source.namespace, workflowId }, source.dataConverter);
    await readPayloads(history, source.dataConverter);
    const facts: KeptHistory = { workflowId, executionRunId: runId, about };
    await keepHistory(folder, history, facts);
    kept += 1;
  }
  return kept;
}

async function keepHistory(folder: string, history: FetchedHistory, facts: KeptHistory): Promise<void> {
  const path = join(folder, randomUUID());
  await writeFile(`${path}.history`, HistoryProto.encode(history).finish());
  // The replay lists the folder by these files, so they are written last.
  await writeFile(`${path}.json`, JSON.stringify(facts));
}

/** Signals are decoded one by one, as a worker does. */
async function readSignals(
  { events }: FetchedHistory,
  receiver: Pick<ReceivingExecution, 'namespace' | 'workflowId'>,
  { readSignal }: PayloadReader,
): Promise<void> {
  for (const { workflowExecutionSignaledEventAttributes: signal } of events ?? []) {
    if (!signal) continue;
    if (signal.header) signal.header.fields = withoutReferences(signal.header.fields);
    const [payload] = signal.input?.payloads ?? [];
    if (!payload) continue;
    const read = await readSignal(payload, { ...receiver, isReplaying: true }).catch(() => payload);
    signal.input = { payloads: [PayloadProto.create(read)] };
  }
}

/** Replaces each payload, which may be a reference or encoded, by what workflow code reads. */
async function readPayloads(part: unknown, converter: DataConverter): Promise<void> {
  if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) return;
  for (const [key, value] of Object.entries(part))
    if (isPayload(value)) Object.assign(part, { [key]: await decodePayload(value, converter) });
    else await readPayloads(value, converter);
}

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && 'metadata' in value && 'data' in value;
}

/** A payload that can't be decoded stays as it is: the replay fails if the run depends on it. */
async function decodePayload(
  payload: Payload,
  { externalStorage, payloadCodecs = [] }: DataConverter,
): Promise<Payload> {
  try {
    const retrieved = await extstoreInboundOptions(externalStorage).transformPayload(payload, undefined, undefined);
    const [decoded = payload] = await decode(payloadCodecs, [retrieved], undefined);
    return PayloadProto.create(decoded);
  } catch {
    return payload;
  }
}
