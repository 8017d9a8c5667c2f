import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createFileKeeper, keepNeededFile } from '../../../../src/activities/files/keep-file.ts';
import type { AnsweredBytes } from '../../../../src/activities/tools/tool.ts';
import { sourceOfFile } from '../../../../src/graph/definition/message.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
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

describe('a file that an answer needs', () => {
  afterEach(() => void vi.useRealTimers());

  /** Stores a file while the database is away for the given time, in a call of five minutes. */
  async function keepWhileAway(awayMs: number, error: Error = new DatabaseAwayError('away')) {
    vi.useFakeTimers();
    const backAt = Date.now() + awayMs;
    const call = new AbortController();
    setTimeout(() => call.abort(), 5 * 60_000);
    let tries = 0;
    const context = aContext({ signal: call.signal });
    const keepOrFail = async (file: AnsweredBytes) => {
      tries += 1;
      if (Date.now() < backAt) throw error;
      return await context.keepFile(file);
    };
    const file = { bytes: Buffer.from('x'), mediaType: 'image/png' };
    const storing = keepNeededFile(file, { ...context, keepFile: keepOrFail }).catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    return { stored: await storing, tries };
  }

  test('a needed file is stored when the database is available again', async () => {
    const { stored } = await keepWhileAway(60_000);
    expect(stored).toMatchObject({ type: 'image', blob: expect.any(String) });
  });

  test('a needed file is not stored after the end of its call', async () => {
    const error = new DatabaseAwayError('away');
    const { stored, tries } = await keepWhileAway(60 * 60_000, error);
    expect(stored).toBe(error);
    expect(tries).toBeLessThan(170);
  });

  test('a needed file that the database refuses is not tried again', async () => {
    const error = new Error('no such column');
    expect(await keepWhileAway(60_000, error)).toEqual({ stored: error, tries: 1 });
  });
});
