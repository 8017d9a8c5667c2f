import { expect, test, describe } from 'vitest';
import {
  toolCallsOf,
  isMessageContent,
  contentParts,
  sourceOfFile,
  textOf,
  messageProblem,
} from '../../../../src/graph/definition/message.ts';
import type { FilePart } from '../../../../src/graph/definition/message.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';

test.each<[Json | undefined, string[]]>([
  [undefined, []],
  ['t', []],
  [[{ id: 't', name: 'x', args: {} }, { id: 't' }, 7], ['t']],
])('the tool calls %j of a message are read with the ids %j', (toolCalls, ids) => {
  const message = { id: 'm', role: 'assistant', content: '', ...(toolCalls !== undefined && { toolCalls }) } as const;
  expect(toolCallsOf(message).map(({ id }) => id)).toEqual(ids);
});

const PICTURE: FilePart = { type: 'image', blob: 'B1', mediaType: 'image/png' };
const said = (content: Json, role = 'user'): Json => ({ id: 'm', role, content });
const picture = (over: JsonObject): Json => said([{ type: 'image', mediaType: 'image/png', ...over }]);

describe('the content of a message', () => {
  test.each<[string, Json]>([
    ['text', 'Hi'],
    ['an empty text', ''],
    ['a picture', [PICTURE]],
    ['a text and a file at an address', [{ type: 'text', text: '' }, filePart({ url: 'https://a.example/b?c#d' })]],
    ['a file with a name', [filePart({ blob: 'B', name: '☃ 1.pdf' })]],
    ['100 parts', Array<Json>(100).fill(PICTURE)],
  ])('the content of a message may be %s', (_, content) => {
    expect(messageProblem(said(content))).toBe('');
    expect(isMessageContent(content)).toBe(true);
  });

  test.each<[string, Json, RegExp]>([
    ['undefined', null, /content .* text, or a list of 1 to 100 parts/],
    ['an object', {}, /text, or a list/],
    ['an empty list', [], /text, or a list/],
    ['101 parts', Array<Json>(101).fill(PICTURE), /text, or a list/],
    ['a list of a plain text', ['Hi'], /^\/content\/0 .* an object/],
    ['a part of another type', [{ type: 'video' }], /^\/content\/0\/type .* one of text, image, file/],
    ['a part of an inherited type', [{ type: 'constructor' }], /^\/content\/0\/type/],
    ['a part without text', [PICTURE, { type: 'text' }], /^\/content\/1\/text .* text/],
  ])('the content of a message is refused as %s', (_, content, problem) => {
    expect(messageProblem(said(content))).toMatch(problem);
    expect(isMessageContent(content)).toBe(false);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['no location', {}, /^\/content\/0 .* either url or blob/],
    ['two locations', { url: 'https://a.example', blob: 'B' }, /either url or blob/],
    ['no media type', { blob: 'B', mediaType: null }, /^\/content\/0\/mediaType .* image\/png/],
    ['the media type of a document', { blob: 'B', mediaType: 'application/pdf' }, /\/mediaType .* of a picture/],
    ['parameters in its media type', { blob: 'B', mediaType: 'image/png;q=1' }, /\/mediaType/],
    ['a data URL', { url: 'data:image/png;base64,AAAA' }, /^\/content\/0\/url .* http or https/],
    ['a file URL', { url: 'file:///etc/passwd' }, /\/url/],
    ['a too long URL', { url: `https://a.example/${'x'.repeat(2_048)}` }, /\/url/],
    ['an empty id', { blob: '' }, /^\/content\/0\/blob .* stored file/],
    ['a name that is no text', { blob: 'B', name: 7 }, /^\/content\/0\/name/],
  ])('the content of a message is refused if it has a picture with %s', (_, over, problem) => {
    expect(messageProblem(picture(over))).toMatch(problem);
  });

  test.each([
    ['user', true],
    ['assistant', true],
    ['system', false],
    ['tool', false],
  ])('the content of a message with the role %s may contain files: %s', (role, may) => {
    expect(messageProblem(said([PICTURE], role)) === '').toBe(may);
    expect(messageProblem(said([{ type: 'text', text: 'x' }], role))).toBe('');
  });
});

test('the text of a message’s content excludes its files', () => {
  const content = [{ type: 'text', text: 'Look' }, PICTURE, { type: 'text', text: 'here' }] as const;
  expect([textOf('Hi'), textOf(content), textOf([PICTURE])]).toEqual(['Hi', 'Look\nhere', '']);
  expect(contentParts('Hi')).toEqual([{ type: 'text', text: 'Hi' }]);
});

test('a file in a message has either a blob id or a URL', () => {
  expect(sourceOfFile(PICTURE)).toEqual({ kind: 'blob', id: 'B1' });
  const url = 'https://a.example/b';
  expect(sourceOfFile({ type: 'file', url, mediaType: 'text/plain' })).toEqual({ kind: 'url', url });
});

function filePart(over: JsonObject): Json {
  return { type: 'file', mediaType: 'application/pdf', ...over };
}
