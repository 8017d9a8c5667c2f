import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createFileKeeper } from '../../../../src/activities/files/keep-file.ts';
import { sourceOfFile } from '../../../../src/graph/definition/message.ts';
import { aContext } from '../../../support/builders/call-builders.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const { files, database } = await useMemoryStore();
const keepFile = createFileKeeper(files);

test('bytes returned by a tool become a file of the tenant, which belongs to the starter of the run', async () => {
  const bytes = Buffer.from('x'.repeat(3_000_000));
  const call = aContext();
  const part = await keepFile({ bytes, mediaType: 'application/pdf' }, call);
  expect(part).toEqual({ type: 'file', blob: expect.any(String), mediaType: 'application/pdf' });
  const source = sourceOfFile(part);
  if (source.kind !== 'blob') throw new Error('The part refers to no stored file');
  const { id } = source;
  expect(await files.find(call.tenantId, id)).toMatchObject({ by: call.principal.sub, size: 3_000_000 });
  expect(await text(Readable.from(files.read(id)))).toBe(bytes.toString());
});

test('a picture returned by a tool becomes an image part', async () => {
  expect(await keepFile({ bytes: Buffer.from('x'), mediaType: 'image/png' }, aContext())).toMatchObject({
    type: 'image',
  });
});

test('a tool result fails permanently when its tenant has no space for the file, and no bytes are stored', async () => {
  const full = createFileKeeper({ ...files, keep: async () => await Promise.resolve(null) });
  const count = async () => (await database.query('select 1 from file_pieces')).rows.length;
  const before = await count();
  await expect(full({ bytes: Buffer.from('x'), mediaType: 'image/png' }, aContext())).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    retryable: false,
    done: 'perhaps',
  });
  expect(await count()).toBe(before);
});
