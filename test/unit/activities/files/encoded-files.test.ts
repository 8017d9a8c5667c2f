import { describe, expect, test } from 'vitest';
import { CallError, UNCLEAR } from '../../../../src/activities/calls/call-error.ts';
import { storeEncodedFiles } from '../../../../src/activities/files/encoded-files.ts';
import { toolCalls } from '../../../../src/activities/tool-calls.ts';
import type { AnsweredBytes } from '../../../../src/activities/tools/tool.ts';
import type { StoredFilePart } from '../../../../src/graph/definition/message.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aTask, aTool } from '../../../support/builders/call-builders.ts';
import { BYTES } from '../../../support/builders/file-parts.ts';

const data = BYTES.png.toString('base64');
const text = { type: 'text', text: 'The chart:' } as const;
const picture = { type: 'image', data, mimeType: 'image/png' } as const;
const stored: StoredFilePart = { type: 'image', blob: 'B1', mediaType: 'image/png' };

const keepFile = async ({ bytes, mediaType }: AnsweredBytes): Promise<StoredFilePart> => {
  expect(Buffer.from(bytes)).toEqual(BYTES.png);
  return await Promise.resolve({ ...stored, mediaType });
};

const { signal } = new AbortController();
const storage = { keepFile, signal };

describe('files in Base64 in a result', () => {
  test.each<[string, Json, Json]>([
    ['in the content of an answer of MCP', { content: [text, picture], n: 1 }, { content: [text, stored], n: 1 }],
    ['in a list of parts', [picture, 'x', null], [stored, 'x', null]],
    [
      'in an embedded resource',
      [{ type: 'resource', resource: { uri: 'a:b', blob: data, mimeType: 'image/gif' } }],
      [{ ...stored, mediaType: 'image/gif' }],
    ],
    ['as sounds', [{ ...picture, type: 'audio', mimeType: 'audio/wav' }], [{ ...stored, mediaType: 'audio/wav' }]],
  ])('files that a tool answers in the form of MCP are stored: %s', async (_, result, expected) => {
    expect(await storeEncodedFiles(result, storage)).toEqual(expected);
  });

  test.each<[string, Json]>([
    ['a part without a media type', [{ type: 'image', data }]],
    ['a text that is not Base64', [{ ...picture, data: 'a picture' }]],
    ['no bytes', [{ ...picture, data: '' }]],
    ['a part of another type', [{ ...picture, type: 'chart' }]],
    ['a part deeper inside', { answer: { content: [picture] } }],
    ['a stored file', [stored]],
    ['content that is no list', { content: 'x' }],
    ['a text', data],
    ['nothing', null],
  ])('nothing is stored of a result without files in the form of MCP: %s', async (_, result) => {
    expect(await storeEncodedFiles(result, { ...storage, keepFile: () => expect.unreachable() })).toEqual(result);
  });

  test('files of a tool result are stored up to the limit of their number, and the others stay as they are', async () => {
    const result = await storeEncodedFiles(
      Array.from({ length: 22 }, () => picture),
      storage,
    );
    expect(result).toEqual([...Array.from({ length: 20 }, () => stored), picture, picture]);
  });

  test.each([
    ['the tenant has no space', new CallError('TOOL_FAILED', 'No space', UNCLEAR)],
    ['the database is unavailable', new DatabaseAwayError('away')],
    ['the database refuses them', new Error('no such column')],
  ])('files of a tool result stay as they are where %s', async (_, error) => {
    const failing = { ...storage, keepFile: async () => await Promise.reject(error) };
    expect(await storeEncodedFiles([picture], failing)).toEqual([picture]);
  });

  test('files of a tool result are stored up to 10 MiB each, and larger ones stay as they are', async () => {
    const sizes: number[] = [];
    const keepSized = async ({ bytes }: AnsweredBytes) => {
      sizes.push(bytes.byteLength);
      return await Promise.resolve(stored);
    };
    const ofSize = (bytes: number) => ({ ...picture, data: Buffer.alloc(bytes).toString('base64') });
    const [full, large] = [ofSize(10 * 1_048_576), ofSize(10 * 1_048_576 + 1)];
    const result = await storeEncodedFiles([large, full], { ...storage, keepFile: keepSized });
    expect(sizes).toEqual([10 * 1_048_576]);
    expect(result).toEqual([large, stored]);
  });

  test('no further file of a tool result is stored after the end of the call', async () => {
    const call = new AbortController();
    let kept = 0;
    const keepLast = async (file: AnsweredBytes) => {
      kept += 1;
      call.abort();
      return await keepFile(file);
    };
    const ended = storeEncodedFiles([picture, picture], { keepFile: keepLast, signal: call.signal });
    await expect(ended).rejects.toThrow('aborted');
    expect(kept).toBe(1);
  });

  test('storing the files of a tool result ends with the call', async () => {
    const call = new AbortController();
    const aborted = new Error('aborted');
    const keepAborted = async () => {
      call.abort();
      return await Promise.reject(aborted);
    };
    const ended = storeEncodedFiles([picture], { keepFile: keepAborted, signal: call.signal });
    await expect(ended).rejects.toBe(aborted);
  });
});

test.each<[string, object, Json]>([
  ['are stored for a tool without a schema of its result', {}, [stored]],
  ['stay where the tool promises them by a schema', { result: { type: 'array' } }, [picture]],
])('the files of a call %s', async (_, over, value) => {
  const tool = aTool({ execute: () => [picture], ...over });
  const calls = toolCalls({ pay: tool }, undefined, keepFile);
  expect(await calls.execute(aTask(), signal, { attempt: 1 })).toEqual({ kind: 'value', value });
});
