import { expect, test } from 'vitest';
import { filesInResult } from '../../../../../src/graph/nodes/tool-calls/files-in-result.ts';
import type { Json } from '../../../../../src/graph/values/json.ts';
import { aDocument, aPicture } from '../../../../support/builders/file-parts.ts';

const picture = (blob: string): Json => ({ type: 'image', blob, mediaType: 'image/png' });
const sound: Json = { type: 'file', blob: 'B9', mediaType: 'audio/wav' };

test.each<[string, Json, readonly string[]]>([
  ['parts in a list, without texts and sounds', [{ type: 'text', text: 'A' }, aPicture(), sound], ['B1']],
  ['the member `file` of an HTTP tool', { file: aDocument(), size: 7 }, ['B2']],
  ['the member `files` of structured content', { n: 1, files: [aPicture(), aDocument()] }, ['B1', 'B2']],
  ['the member `content` of an answer in the form of MCP', { content: [aPicture()] }, ['B1']],
  ['a part itself', aPicture(), ['B1']],
  ['a part that comes twice', [aPicture(), aPicture()], ['B1']],
  [
    '21 parts',
    Array.from({ length: 21 }, (_, at) => picture(`P${at}`)),
    Array.from({ length: 20 }, (_, at) => `P${at}`),
  ],
  ['a part deeper inside', { answer: { file: picture('B1') } }, []],
  ['a file at an address', [aPicture({ url: 'https://a.example/b.png' })], []],
  ['a part with a wrong type', [{ type: 'image', blob: 'B1', mediaType: 'text/html' }], []],
  ['a member that is no file', { file: 'a.png', files: ['b.png', null, 7] }, []],
  ['a text', 'B1', []],
  ['nothing', null, []],
])('the files of a result are found: %s', (_, result, expected) => {
  expect(filesInResult(result).map(({ blob }) => blob)).toEqual(expected);
});

test('files beside a result follow those in it', () => {
  const beside = { type: 'image', blob: 'B7', mediaType: 'image/png' } as const;
  expect(filesInResult([aPicture()], [beside]).map(({ blob }) => blob)).toEqual(['B1', 'B7']);
});

test('a file is kept as a part without other members', () => {
  const file = { ...aPicture(), name: 'a.png', note: 'x'.repeat(1_000) };
  expect(filesInResult([file])).toEqual([{ ...aPicture(), name: 'a.png' }]);
});
