import { expect, test } from 'vitest';
import type { NewFile } from '../../../src/store/files.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const { files, database } = await useMemoryStore();

const GIB = 1_073_741_824;
const aFile = (id: string, over: Partial<NewFile> = {}): NewFile => ({
  id,
  tenantId: 'demo',
  upload: { id: `upload of ${id}`, size: 2, sha256: 'hash' },
  contentType: 'text/plain',
  by: 'uma',
  ...over,
});
const begin = async (uploadId: string) => await files.addPiece(uploadId, 0, Buffer.from('ab'));
const uploads = async (): Promise<readonly string[]> =>
  (await database.query<{ id: string }>('select distinct upload_id as id from file_pieces order by 1')).rows.map(
    ({ id }) => id,
  );
const age = async (table: string, column: string, id: string) =>
  await database.query(`update ${table} set ${column} = now() - interval '3 days' where upload_id = $1`, [id]);
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

test('a file upload becomes one file, even if several attempts use the same id', async () => {
  await begin('upload of a');
  await begin('again');
  const first = await files.keep(aFile('a'));
  const again = await files.keep(aFile('a', { upload: { id: 'again', size: 2, sha256: 'hash' } }));
  expect(again).toEqual(first);
  await Promise.all([files.discard('again'), files.discard('upload of a')]);
  expect(await uploads()).toEqual(['upload of a']);
  expect(await files.find('other', 'a')).toBeNull();
});

test('the files of a tenant have at most 10 GiB together, also with concurrent uploads', async () => {
  const large = (id: string) => aFile(id, { tenantId: 'full', upload: { id, size: GIB, sha256: 'hash' } });
  const kept = await Promise.all(Array.from({ length: 12 }, async (_, index) => await files.keep(large(`f${index}`))));
  expect(kept.filter((file) => file !== null)).toHaveLength(10);
  expect([await files.hasSpace('full'), await files.hasSpace('demo')]).toEqual([false, true]);
});

test('files that were not used for long are deleted with their pieces, and reading counts as use', async () => {
  for (const id of ['old', 'read', 'new']) {
    await begin(`upload of ${id}`);
    await files.keep(aFile(id));
  }
  for (const id of ['old', 'read']) await age('files', 'used_at', `upload of ${id}`);
  for await (const piece of files.read('read')) expect(Buffer.from(piece).toString()).toBe('ab');
  await files.forgetUnused(daysAgo(2));
  expect(await Promise.all(['old', 'read', 'new'].map(async (id) => (await files.find('demo', id))?.id))).toEqual([
    undefined,
    'read',
    'new',
  ]);
  expect(await uploads()).not.toContain('upload of old');
});

test('unfinished file uploads are deleted, and files of the same age are kept', async () => {
  for (const id of ['lost', 'upload of kept', 'at work']) await begin(id);
  await files.keep(aFile('kept'));
  for (const id of ['lost', 'upload of kept']) await age('file_pieces', 'created_at', id);
  await files.forgetUploads(daysAgo(1));
  expect(await uploads()).toEqual(expect.arrayContaining(['at work', 'upload of kept']));
  expect(await uploads()).not.toContain('lost');
});
