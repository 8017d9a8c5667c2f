import { createHash } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { IN_BASE64, toBytes } from '../database/columns.ts';
import type { Tables } from '../tables.ts';
import type { BlobPieces, Piece } from './blob-pieces.ts';
import { createSharedSlots } from './shared-slots.ts';

/** A payload as Temporal gives it to a storage driver. */
export interface Blob {
  /** Says how to read the data; values are in base64. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

export interface NewBlob extends Blob {
  readonly id: string;
  /** The workflow whose history refers to the blob. */
  readonly workflowId: string;
}

export interface Blobs {
  /** Stores blobs; an existing blob stays as it is. */
  put(blobs: readonly NewBlob[]): Promise<void>;
  /** @returns the blobs in the order of their ids @throws RangeError when a blob is missing */
  get(ids: readonly string[]): Promise<readonly Blob[]>;
  /** @returns those blobs that there are, by id @throws RangeError when a piece of one is missing */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Blob>>;
}

/** Larger blobs are cut into pieces, which a workflow's blobs share. */
const MAX_WHOLE_BYTES = 262_144;

/** Stores and reads of pieces at a time, of a process. */
const SLOTS = 2;

/** Bytes that one of them stores. */
const BATCH_BYTES = 1_048_576;

/** @param pieces what is large; others do not wait for it */
export function createBlobs(db: Kysely<Tables>, pieces: BlobPieces): Blobs {
  const store = createPieceStore(pieces);
  const insert = async ({ id, workflowId, metadata }: NewBlob, content: Content): Promise<void> => {
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

type Content = { readonly data: ReturnType<typeof toBytes> } | { readonly pieces: string };

interface PieceStore {
  /** Stores what is missing of a blob. @returns the digests of its pieces */
  put(blob: NewBlob): Promise<readonly string[]>;
  /** @throws RangeError when a piece is missing */
  get(workflowId: string, digests: readonly string[]): Promise<Uint8Array>;
}

function createPieceStore(pieces: BlobPieces): PieceStore {
  const slots = createSharedSlots(SLOTS);
  const recent = createRecentPieces();
  return {
    async put({ workflowId, data }) {
      const cut: Piece[] = [];
      for (const piece of cutByContent(data)) {
        cut.push({ digest: digestOf(piece), data: piece });
        // The thread answers requests, too.
        await othersTurn();
      }
      const digests = cut.map(({ digest }) => digest);
      for (const { digest, data: bytes } of cut) recent.add(digest, bytes);
      const missing = new Set(await pieces.missing(workflowId, [...new Set(digests)]));
      for (const batch of inBatches(cut.filter(({ digest }) => missing.delete(digest))))
        await slots(ownerOf(workflowId), async () => await pieces.put(workflowId, batch));
      return digests;
    },
    async get(workflowId, digests) {
      const found: Uint8Array[] = [];
      for (const digest of digests) {
        const read = async (): Promise<Uint8Array | null> => await pieces.get({ workflowId, digest });
        const piece = recent.find(digest) ?? (await slots(ownerOf(workflowId), read));
        if (!piece) throw new RangeError(`A piece of a blob of ${workflowId} is missing`);
        recent.add(digest, piece);
        found.push(piece);
      }
      return Buffer.concat(found);
    },
  };
}

/** Parts that are stored at once: others have their turn in between. */
function inBatches(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const batches: Piece[][] = [];
  let bytes = Infinity;
  for (const piece of pieces) {
    bytes += piece.data.length;
    if (bytes <= BATCH_BYTES) batches.at(-1)?.push(piece);
    else {
      batches.push([piece]);
      bytes = piece.data.length;
    }
  }
  return batches;
}

/** Ids of the workflows of a tenant differ behind the last colon only. */
function ownerOf(workflowId: string): string {
  return workflowId.slice(0, workflowId.lastIndexOf(':'));
}

function digestOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('base64url');
}

/** No piece but the last is smaller. */
const MIN_BYTES = 65_536;
/** No piece is larger. */
const MAX_BYTES = 524_288;
/** A place in 2^16 is a cut, beyond the least size. */
const CUT_MASK = 0xff_ff_00_00;
/** Bytes that decide whether a place is a cut: what comes before has left the hash. */
const WINDOW = 32;

/**
 * Cuts bytes where they themselves say so: what is added or taken out changes the pieces around it, and no others. (FastCDC,
 * Xia et al. 2016.)
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

/** A number without a pattern for each byte, the same in every process. */
const GEAR = Int32Array.from({ length: 256 }, (_, byte) => scatter(scatter(byte + 1)));

function scatter(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2_b2_ae_35);
  return second ^ (second >>> 16);
}

/** The memory that pieces take which are kept to be read again. */
const MAX_RECENT_BYTES = 64 * 1_048_576;

/** Pieces that were written or read lately: the next execution of a workflow reads what the last one has written. */
export interface RecentPieces {
  find(digest: string): Uint8Array | null;
  add(digest: string, data: Uint8Array): void;
}

export function createRecentPieces(maxBytes = MAX_RECENT_BYTES): RecentPieces {
  /** The one that was used longest ago first. */
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
      // A part of a larger buffer would keep all of it in memory.
      const own = remove(digest) ?? data.slice();
      add(digest, own);
    },
  };
}
