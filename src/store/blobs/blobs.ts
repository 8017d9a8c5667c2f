import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { IN_BASE64, toBytes } from '../database/columns.ts';
import type { Tables } from '../tables.ts';
import { inBatches } from '../batches.ts';
import type { BlobPieces, BlobPiece } from './blob-pieces.ts';
import { createSharedSlots } from './shared-slots.ts';

/** A payload as Temporal passes it to a storage driver. */
export interface Blob {
  /** Describes the encoding of the data; values are in base64. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

export interface NewBlob extends Blob {
  readonly id: string;
  /** The workflow whose history refers to the blob. */
  readonly workflowId: string;
}

export interface Blobs {
  /** Stores blobs; existing blobs are not changed. */
  put(blobs: readonly NewBlob[]): Promise<void>;
  /** Reads blobs. @returns the blobs in the order of their ids @throws RangeError when a blob is missing */
  get(ids: readonly string[]): Promise<readonly Blob[]>;
  /** Reads the blobs that exist. @returns the blobs by id @throws RangeError when a piece of one is missing */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Blob>>;
}

/** Larger blobs are split into pieces, which the blobs of a workflow share. */
const MAX_WHOLE_BYTES = 262_144;

/** The most concurrent writes and reads of pieces in a process. */
const SLOTS = 2;

/** The most bytes that one write of pieces contains. */
const BATCH_BYTES = 1_048_576;

/** @param pieces stores large blobs, independently of other statements @internal */
export function createBlobs(db: Kysely<Tables>, pieces: BlobPieces): Blobs {
  const store = createPieceStore(pieces);
  const insert = async ({ id, workflowId, metadata }: NewBlob, content: BlobContent): Promise<void> => {
    const row = { id, workflow_id: workflowId, metadata: JSON.stringify(metadata), ...content };
    await db
      .insertInto('blobs')
      .values({ ...row, created_at: new Date().toISOString() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  };
  const find: Blobs['find'] = async (ids) => {
    const rows = await db
      .selectFrom('blobs')
      .select(['id', 'workflow_id as workflowId', 'metadata', 'pieces', IN_BASE64])
      .where(sql<boolean>`id = any(${ids}::text[])`)
      .execute();
    const found = new Map<string, Blob>();
    for (const { id, workflowId, metadata, pieces: digests, data } of rows)
      found.set(id, { metadata, data: digests ? await store.get(workflowId, digests) : Buffer.from(data, 'base64') });
    return found;
  };
  return {
    async put(blobs) {
      for (const blob of blobs) {
        if (blob.data.length <= MAX_WHOLE_BYTES) await insert(blob, { data: toBytes(blob.data) });
        else await insert(blob, { pieces: JSON.stringify(await store.put(blob)) });
      }
    },
    find,
    async get(ids) {
      const found = await find(ids);
      return ids.map((id) => {
        const blob = found.get(id);
        if (!blob) throw new RangeError(`There is no blob ${id}`);
        return blob;
      });
    },
  };
}

type BlobContent = { readonly data: ReturnType<typeof toBytes> } | { readonly pieces: string };

interface PieceStore {
  /** Stores the missing pieces of a blob. @returns the digests of all its pieces */
  put(blob: NewBlob): Promise<readonly string[]>;
  /** Reads a blob. @throws RangeError when a piece is missing */
  get(workflowId: string, digests: readonly string[]): Promise<Uint8Array>;
}

function createPieceStore(pieces: BlobPieces): PieceStore {
  const slots = createSharedSlots(SLOTS);
  const recent = createRecentPieces();
  return {
    async put({ workflowId, data }) {
      const cut: BlobPiece[] = [];
      for (const piece of cutByContent(data)) {
        cut.push({ digest: digestOfBytes(piece), data: piece });
        // Hashing must not block the requests that this thread serves.
        await yieldToOthers();
      }
      const digests = cut.map(({ digest }) => digest);
      for (const { digest, data: bytes } of cut) recent.add(digest, bytes);
      const missing = new Set(await pieces.missing(workflowId, [...new Set(digests)]));
      const added = cut.filter(({ digest }) => missing.delete(digest));
      // Other work may run between two batches.
      for (const batch of inBatches(added, BATCH_BYTES, ({ data: bytes }) => bytes.length))
        await slots(tenantPartOf(workflowId), async () => await pieces.put(workflowId, batch));
      return digests;
    },
    async get(workflowId, digests) {
      const found: Uint8Array[] = [];
      for (const digest of digests) {
        const read = async (): Promise<Uint8Array | null> => await pieces.get({ workflowId, digest });
        const piece = recent.find(digest) ?? (await slots(tenantPartOf(workflowId), read));
        if (!piece) throw new RangeError(`A piece of a blob of ${workflowId} is missing`);
        recent.add(digest, piece);
        found.push(piece);
      }
      return Buffer.concat(found);
    },
  };
}

/** Returns the part of a workflow id before its last colon, which identifies the tenant. */
function tenantPartOf(workflowId: string): string {
  return workflowId.slice(0, workflowId.lastIndexOf(':'));
}

function digestOfBytes(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('base64url');
}

/** The least size of all pieces but the last. */
const MIN_BYTES = 65_536;
/** The greatest size of a piece. */
const MAX_BYTES = 524_288;
/** Beyond the least size, a position in 2^16 on average is a cut. */
const CUT_MASK = 0xff_ff_00_00;
/** The number of bytes that decide whether a position is a cut; earlier bytes no longer affect the hash. */
const WINDOW = 32;

/**
 * Splits bytes at positions that their content determines, so that an insertion or deletion changes only the pieces
 * around it (FastCDC, Xia et al. 2016).
 */
export function* cutByContent(data: Uint8Array): Generator<Uint8Array, void> {
  for (let begin = 0; begin < data.length;) {
    const end = endOfPiece(data, begin);
    yield data.subarray(begin, end);
    begin = end;
  }
}

function endOfPiece(data: Uint8Array, begin: number): number {
  const last = Math.min(begin + MAX_BYTES, data.length);
  let hash = 0;
  for (let at = begin + MIN_BYTES - WINDOW; at < last; at += 1) {
    hash = ((hash << 1) + (GEAR[data[at] ?? 0] ?? 0)) | 0;
    if ((hash & CUT_MASK) === 0 && at >= begin + MIN_BYTES) return at;
  }
  return last;
}

/** A pseudo-random number for each byte value, the same in every process. */
const GEAR = Int32Array.from({ length: 256 }, (_, byte) => mixBits(mixBits(byte + 1)));

function mixBits(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2_b2_ae_35);
  return second ^ (second >>> 16);
}

/** The most memory for recent pieces that may be read again. */
const MAX_RECENT_BYTES = 64 * 1_048_576;

/**
 * A cache of the pieces that were recently written or read: the next execution of a workflow reads what the previous
 * one has written.
 */
export interface RecentPieces {
  find(digest: string): Uint8Array | null;
  add(digest: string, data: Uint8Array): void;
}

export function createRecentPieces(maxBytes = MAX_RECENT_BYTES): RecentPieces {
  /** The least recently used piece is first. */
  const kept = new Map<string, Uint8Array>();
  let bytes = 0;
  const remove = (digest: string): Uint8Array | null => {
    const data = kept.get(digest) ?? null;
    kept.delete(digest);
    bytes -= data?.length ?? 0;
    return data;
  };
  const add = (digest: string, data: Uint8Array): void => {
    kept.set(digest, data);
    bytes += data.length;
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) return;
      remove(oldest);
    }
  };
  return {
    find(digest) {
      const data = remove(digest);
      if (data) add(digest, data);
      return data;
    },
    add(digest, data) {
      // A view of a larger buffer would keep the whole buffer in memory, so the piece is copied.
      const own = remove(digest) ?? data.slice();
      add(digest, own);
    },
  };
}
