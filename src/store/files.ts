import { sql } from 'kysely';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { IN_BASE64, toBytes } from './database/columns.ts';
import { oneAtATime } from './database/run-statement.ts';
import type { Tables, FilesTable } from './tables.ts';

/** The metadata of a file. */
export interface StoredFile {
  readonly id: string;
  /** The size in bytes. */
  readonly size: number;
  readonly contentType: string;
  /** The SHA-256 hash in hexadecimal digits. */
  readonly sha256: string;
  readonly createdAt: string;
  /** The subject that uploaded it. */
  readonly by: string;
}

/** Stored bytes that are not a file yet. */
export interface Upload {
  readonly id: string;
  readonly size: number;
  readonly sha256: string;
}

export interface NewFile extends Pick<StoredFile, 'id' | 'contentType' | 'by'> {
  readonly tenantId: string;
  readonly upload: Upload;
}

/** Files of tenants (docs/files.md). They are stored in pieces, so that no process holds a whole file. */
export interface Files {
  addPiece(uploadId: string, number: number, data: Uint8Array): Promise<void>;
  /**
   * Turns an upload into a file, unless a file with that id exists.
   * @returns the file with that id; `null` when the tenant's space is used up
   */
  keep(file: NewFile): Promise<StoredFile | null>;
  /** Deletes the pieces of an upload that has not become a file. */
  discard(uploadId: string): Promise<void>;
  find(tenantId: string, id: string): Promise<StoredFile | null>;
  /** Finds a file of any tenant. */
  findById(id: string): Promise<(StoredFile & { readonly tenantId: string }) | null>;
  /** Reads the bytes of a file and marks it as used. @throws RangeError when it is deleted meanwhile */
  read(id: string): AsyncGenerator<Uint8Array, void>;
  /** Returns true while the tenant may store more bytes. */
  hasSpace(tenantId: string): Promise<boolean>;
  /** Deletes files that were last used before a time. */
  forgetUnused(before: string): Promise<void>;
  /** Deletes uploads that were begun before a time and have not become files. */
  forgetUploads(before: string): Promise<void>;
}

/** The most bytes of all files of a tenant. */
const MAX_TENANT_BYTES = 10 * 1_073_741_824;
/** The most files of a tenant. */
const MAX_FILES = 100_000;

/** The number of files that one statement deletes. */
const BATCH = 20;

/** @internal */
export function createFiles(db: Kysely<Tables>): Files {
  return {
    async addPiece(uploadId, number, data) {
      const piece = { upload_id: uploadId, number, data: toBytes(data), created_at: new Date().toISOString() };
      await db.insertInto('file_pieces').values(piece).execute();
    },
    // Files of a tenant are stored one at a time, so that the sum of their sizes is exact.
    keep: async (file) =>
      await oneAtATime(db, `files of ${file.tenantId}`, async (transaction) => await keepUpload(transaction, file)),
    async discard(uploadId) {
      await sql`
        delete from file_pieces where upload_id = ${uploadId}
          and not exists (select from files where upload_id = ${uploadId})
      `.execute(db);
    },
    find: async (tenantId, id) => await findFile(db, tenantId, id),
    async findById(id) {
      const row = await db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? { ...toStoredFile(row), tenantId: row.tenant_id } : null;
    },
    read: (id) => readPieces(db, id),
    hasSpace: async (tenantId) => fitsQuota(await readUsage(db, tenantId), 1),
    async forgetUnused(before) {
      for (let gone = BATCH; gone === BATCH;) gone = await deleteUnused(db, before);
    },
    async forgetUploads(before) {
      await sql`
        delete from file_pieces where upload_id in (
          select upload_id from file_pieces begun
          where number = 0 and created_at < ${before}::timestamptz
            and not exists (select from files where upload_id = begun.upload_id)
        )
      `.execute(db);
    },
  };
}

async function keepUpload(db: Transaction<Tables>, file: NewFile): Promise<StoredFile | null> {
  const { id, tenantId, upload, contentType, by } = file;
  const kept = await findFile(db, tenantId, id);
  if (kept) return kept;
  if (!fitsQuota(await readUsage(db, tenantId), upload.size)) return null;
  const at = new Date().toISOString();
  const row = await db
    .insertInto('files')
    .values({
      id,
      tenant_id: tenantId,
      upload_id: upload.id,
      size: upload.size,
      content_type: contentType,
      sha256: upload.sha256,
      created_at: at,
      created_by: by,
      used_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toStoredFile(row);
}

async function findFile(db: Kysely<Tables>, tenantId: string, id: string): Promise<StoredFile | null> {
  const rows = db.selectFrom('files').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id);
  const row = await rows.executeTakeFirst();
  return row ? toStoredFile(row) : null;
}

interface TenantUsage {
  readonly files: number;
  readonly bytes: number;
}

async function readUsage(db: Kysely<Tables>, tenantId: string): Promise<TenantUsage> {
  return await db
    .selectFrom('files')
    .select([sql<number>`count(*)::int`.as('files'), sql<number>`coalesce(sum(size), 0)::float8`.as('bytes')])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
}

function fitsQuota({ files, bytes }: TenantUsage, size: number): boolean {
  return files < MAX_FILES && bytes + size <= MAX_TENANT_BYTES;
}

async function* readPieces(db: Kysely<Tables>, id: string): AsyncGenerator<Uint8Array, void> {
  await sql`update files set used_at = now() where id = ${id} and used_at < now() - interval '1 day'`.execute(db);
  const file = db.selectFrom('files').select(['upload_id', 'size']).where('id', '=', id);
  const { upload_id, size } = await file.executeTakeFirstOrThrow();
  for (let number = 0, bytes = 0; bytes < size; number += 1) {
    const pieces = db.selectFrom('file_pieces').select(IN_BASE64).where('upload_id', '=', upload_id);
    const piece = await pieces.where('number', '=', number).executeTakeFirst();
    if (!piece) throw new RangeError(`The file ${id} was deleted while it was read`);
    const data = Buffer.from(piece.data, 'base64');
    bytes += data.byteLength;
    yield data;
  }
}

/** Deletes a batch of unused files. @returns the number of deleted files */
async function deleteUnused(db: Kysely<Tables>, before: string): Promise<number> {
  const { rows } = await sql`
    with gone as (
      delete from files where id in (
        select id from files where used_at < ${before}::timestamptz limit ${BATCH} for update skip locked
      ) returning upload_id
    ), pieces as (
      delete from file_pieces using gone where file_pieces.upload_id = gone.upload_id
    )
    select upload_id from gone
  `.execute(db);
  return rows.length;
}

function toStoredFile({ id, size, content_type, sha256, created_at, created_by }: Selectable<FilesTable>): StoredFile {
  return { id, size, contentType: content_type, sha256, createdAt: created_at.toISOString(), by: created_by };
}
