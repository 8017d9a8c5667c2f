import { setTimeout } from 'node:timers/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import {
  decodeReferencePayload,
  isReferencePayload,
} from '@temporalio/common/lib/internal-non-workflow/extstore-helpers.js';
import { unreadablePlaceholder } from '../../graph/values/index.ts';
import type { Blob, Blobs } from '../../store/blobs/blobs.ts';
import { DRIVER, payloadDigest, fromStored, toStoredBlob } from './stored-payload.ts';

/** The execution that a signal was sent to. */
export interface ReceivingExecution {
  readonly namespace: string;
  readonly workflowId: string;
  /** True if the history already contains the effects of the signal. */
  readonly isReplaying: boolean;
}

/**
 * Reads the payload of a signal, which any client of Temporal may have sent. An unreadable one becomes a marker value,
 * and is ignored like every malformed signal.
 *
 * A signal must be handled in the same way in each replay, whatever happens to its payload later. So a payload that
 * is missing or not encoded is recorded in the store at the first attempt, and stays unreadable. This is safe because a
 * large payload is stored before its signal is sent.
 * @returns the payload, still encoded by the codecs, but without references
 * @throws when the store or the codecs fail, or the history contains the payload as readable
 */
export type ReadSignal = (payload: Payload, receiver: ReceivingExecution) => Promise<Payload>;

/** A payload, or the reason why it can never be read. */
type ReadResult = { readonly payload: Payload } | { readonly reason: string };

const MISSING_PAYLOAD_REASON = 'what it refers to is not in the store';
const NO_CODE = 'the codecs do not know it';

export function createSignalReader(store: Blobs, codecs: readonly PayloadCodec[]): ReadSignal {
  return async (payload, receiver) => {
    const fetched = isReferencePayload(payload) ? await fetchPayload(store, payload, receiver) : { payload };
    const found = 'payload' in fetched ? await tryCodecs({ store, codecs }, fetched.payload, receiver) : fetched;
    if ('payload' in found) return found.payload;
    const [marked = {}] = await encode(
      [...codecs],
      [defaultPayloadConverter.toPayload(unreadablePlaceholder(found.reason))],
    );
    return marked;
  };
}

/** Resolves a reference if it leads to a payload of the same workflow: other payloads may belong to another tenant. */
async function fetchPayload(store: Blobs, reference: Payload, receiver: ReceivingExecution): Promise<ReadResult> {
  const id = payloadIdIn(reference);
  if (id === null) return { reason: 'it is a broken reference' };
  if (!id.startsWith(`${receiver.workflowId}/`)) return { reason: 'it refers to what is not of this run' };
  const stored = (await findBlob(store, id)) ?? (await recordUnreadable(store, id, MISSING_PAYLOAD_REASON, receiver));
  const reason = recordedReason(stored);
  if (reason !== null) return { reason };
  const payload = fromStored(stored);
  return isReferencePayload(payload) ? { reason: 'it refers to another reference' } : { payload };
}

/** Returns the payload id in a reference to the store; `null` for an invalid reference. */
function payloadIdIn(reference: Payload): string | null {
  try {
    const { driverName, claimData } = decodeReferencePayload(reference);
    return driverName === DRIVER ? (claimData['id'] ?? null) : null;
  } catch {
    return null;
  }
}

/**
 * Records that a payload can't be read, unless it has become readable meanwhile.
 * @returns the final entry of the store
 */
async function recordUnreadable(
  store: Blobs,
  id: string,
  reason: string,
  { workflowId, isReplaying }: ReceivingExecution,
): Promise<Blob> {
  if (isReplaying) throw new RangeError(`The payload ${id} of a signal could be read before: ${reason}`);
  await store.put([{ id, workflowId, metadata: { encoding: UNREADABLE }, data: Buffer.from(reason) }]);
  return (await findBlob(store, id)) ?? { metadata: { encoding: UNREADABLE }, data: Buffer.from(reason) };
}

/** The encoding of the entry that replaces an unreadable payload; in base64, as the store contains it. */
const UNREADABLE = Buffer.from('holdfast/unreadable').toString('base64');

function recordedReason({ metadata, data }: Blob): string | null {
  return metadata['encoding'] === UNREADABLE ? Buffer.from(data).toString() : null;
}

async function findBlob(store: Blobs, id: string): Promise<Blob | undefined> {
  return (await store.find([id])).get(id);
}

/** The number of attempts, because a key service may fail once, or receive a key late. */
const DECODE_TRIES = 4;
const DECODE_PAUSE_MS = 250;

interface PayloadSources {
  readonly store: Blobs;
  readonly codecs: readonly PayloadCodec[];
}

/**
 * Checks whether the codecs can read a payload. A payload that could not be decoded stays unreadable, even if its key
 * becomes available later.
 */
async function tryCodecs(
  { store, codecs }: PayloadSources,
  payload: Payload,
  receiver: ReceivingExecution,
): Promise<ReadResult> {
  if (codecs.length === 0) return { payload };
  const id = `${receiver.workflowId}/unreadable/${payloadDigest(toStoredBlob(payload))}`;
  if (await findBlob(store, id)) return { reason: NO_CODE };
  for (let tries = 1; tries <= DECODE_TRIES; tries += 1) {
    try {
      await decodeOne(codecs, payload, receiver);
      return { payload };
    } catch (error) {
      if (receiver.isReplaying || !(await areUsable(codecs, receiver))) throw error;
      await setTimeout(DECODE_PAUSE_MS);
    }
  }
  await recordUnreadable(store, id, NO_CODE, receiver);
  return { reason: NO_CODE };
}

async function decodeOne(
  codecs: readonly PayloadCodec[],
  payload: Payload,
  receiver: ReceivingExecution,
): Promise<void> {
  const { namespace, workflowId } = receiver;
  const decoded = await decode([...codecs], [payload], { type: 'workflow', namespace, workflowId });
  if (decoded.length !== 1) throw new RangeError('A codec has made another number of payloads of one');
}

/** True if the codecs can decode their own output: their keys are available. */
async function areUsable(codecs: readonly PayloadCodec[], receiver: ReceivingExecution): Promise<boolean> {
  try {
    const [written = {}] = await encode([...codecs], [defaultPayloadConverter.toPayload('a probe')]);
    await decodeOne(codecs, written, receiver);
    return true;
  } catch {
    return false;
  }
}
