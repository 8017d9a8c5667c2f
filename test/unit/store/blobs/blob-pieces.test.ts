import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPiecesInTable, createPiecesInFiles } from '../../../../src/store/blobs/blob-pieces.ts';
import type { BlobPieces } from '../../../../src/store/blobs/blob-pieces.ts';
import { createBlobs } from '../../../../src/store/blobs/blobs.ts';
import { createPgliteDialect } from '../../../../src/store/database/pglite-dialect.ts';
import type { Tables } from '../../../../src/store/tables.ts';
import { openMemoryDatabase } from '../../../support/servers/memory-database.ts';

let folder: string;
let db: Kysely<Tables>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-pieces-'));
  db = new Kysely<Tables>({ dialect: createPgliteDialect(await openMemoryDatabase()) });
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const PLACES: Readonly<Record<string, () => BlobPieces>> = {
  'a table': () => createPiecesInTable(db),
  files: () => createPiecesInFiles(join(folder, 'blobs')),
};
const VARIED = Buffer.from(Array.from({ length: 400_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 4).join());
const ADDED = Buffer.concat([VARIED, Buffer.from('more')]);

/** Records which pieces are stored. */
function watched(pieces: BlobPieces): BlobPieces & { readonly stored: number[] } {
  const stored: number[] = [];
  return {
    ...pieces,
    stored,
    async put(workflowId, put) {
      await pieces.put(workflowId, put);
      stored.push(put.reduce((sum, { data }) => sum + data.length, 0));
    },
  };
}

describe.each(Object.entries(PLACES))('storing pieces in %s', (place, open) => {
  const workflowId = `run:acme:${place}`;
  const aBlob = (name: string, data: Uint8Array) => ({ id: `${workflowId}/${name}`, workflowId, metadata: {}, data });

  test('a blob piece that equals one of the same workflow is not stored again', async () => {
    const pieces = open();
    const piece = { workflowId, digest: 'D' };
    const one = { digest: 'D', data: Uint8Array.of(0, 255, 10) };
    await pieces.put(workflowId, [one]);
    await pieces.put(workflowId, [one, { digest: 'other', data: Uint8Array.of(1) }]);
    expect([...((await pieces.get(piece)) ?? [])]).toEqual([0, 255, 10]);
    expect(await pieces.get({ ...piece, workflowId: 'run:acme:other' })).toBeNull();
    expect(await pieces.missing(workflowId, ['D', 'E'])).toEqual(['E']);
    expect(await pieces.missing('run:acme:other', ['D'])).toEqual(['D']);
  });

  test('blob pieces are deleted with their workflow', async () => {
    const pieces = open();
    const [gone, kept] = [`${workflowId}:gone`, `${workflowId}:kept`];
    for (const id of [gone, kept]) await pieces.put(id, [{ digest: 'D', data: Uint8Array.of(1) }]);
    await pieces.forget(db, [gone]);
    expect(await pieces.missing(gone, ['D'])).toEqual(['D']);
    expect(await pieces.missing(kept, ['D'])).toEqual([]);
  });

  test('a large blob that was extended stores only its new pieces', async () => {
    const pieces = watched(open());
    const blobs = createBlobs(db, pieces);
    await blobs.put([aBlob('large', VARIED)]);
    const whole = pieces.stored.reduce((sum, bytes) => sum + bytes, 0);
    expect(whole).toBe(VARIED.length);
    for (const bytes of pieces.stored) expect(bytes).toBeLessThanOrEqual(1_048_576);
    await blobs.put([aBlob('large', VARIED), aBlob('added', ADDED), aBlob('small', Uint8Array.of(1, 2))]);
    expect(pieces.stored.reduce((sum, bytes) => sum + bytes, -whole)).toBeLessThan(600_000);
    // Another process has no cached pieces.
    const found = await createBlobs(db, open()).get(['small', 'added', 'large'].map((name) => `${workflowId}/${name}`));
    const expected = [Buffer.of(1, 2), ADDED, VARIED];
    expect(found.map(({ data }, at) => expected[at]?.equals(data))).toEqual([true, true, true]);
  });

  test('blob pieces are stored before the blob that refers to them', async () => {
    const broken = { ...open(), put: async () => await Promise.reject(new Error('The disk is full')) };
    const data = Buffer.concat([Buffer.from('another'), VARIED]);
    const blob = aBlob('unwritten', data);
    await expect(createBlobs(db, broken).put([blob])).rejects.toThrow('The disk is full');
    await expect(createBlobs(db, open()).get([blob.id])).rejects.toThrow(RangeError);
  });

  test('a lost blob piece is an error that names its workflow', async () => {
    const id = `run:acme:lost in ${place}`;
    const blob = { ...aBlob('lost', VARIED), id: `${id}/lost`, workflowId: id };
    await createBlobs(db, open()).put([blob]);
    await open().forget(db, [id]);
    await expect(createBlobs(db, open()).get([blob.id])).rejects.toThrow(id);
  });
});

test('an incompletely written file is not a blob piece', async () => {
  const place = join(folder, 'halves');
  const pieces = createPiecesInFiles(place);
  await pieces.put('W', [{ digest: 'D', data: Uint8Array.of(1) }]);
  const [own = ''] = await readdir(place);
  // The file that a process leaves behind when it ends during a write.
  await writeFile(join(place, own, 'E.partial'), '');
  expect(await pieces.missing('W', ['D', 'E'])).toEqual(['E']);
  await pieces.forget(db, ['W']);
  expect(await readdir(place)).toEqual([]);
});
