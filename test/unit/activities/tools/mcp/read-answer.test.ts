import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { readMcpAnswer } from '../../../../../src/activities/tools/mcp/read-answer.ts';
import type { Json, JsonObject } from '../../../../../src/graph/values/json.ts';
import { aContext } from '../../../../support/builders/call-builders.ts';

const read = async (result: Partial<CallToolResult>, outputSchema: JsonObject | null = null): Promise<Json> =>
  await readMcpAnswer({ content: [], ...result }, { ...aContext(), outputSchema, errorMeans: 'perhaps-done' });

const text = { type: 'text', text: 'A chart' } as const;
const picture = { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' } as const;
const pictureFile = { type: 'image', blob: expect.any(String), mediaType: 'image/png' };

describe('the answer of an MCP tool', () => {
  test.each<[string, Partial<CallToolResult>, unknown]>([
    ['texts, which are joined', { content: [text, text] }, 'A chart\nA chart'],
    ['nothing', { content: [] }, null],
    ['a picture, which becomes a stored file', { content: [text, picture] }, [text, pictureFile]],
    [
      'a sound',
      { content: [{ type: 'audio', data: '', mimeType: 'audio/WAV; rate=8' }] },
      [{ type: 'file', blob: expect.any(String), mediaType: 'audio/wav' }],
    ],
    [
      'an embedded file',
      { content: [{ type: 'resource', resource: { uri: 'file:///a.pdf', blob: 'AAAA' } }] },
      [expect.objectContaining({ mediaType: 'application/octet-stream' })],
    ],
    [
      'bytes of no media type',
      { content: [{ type: 'image', data: '', mimeType: 'image/png\nx: y' }] },
      [expect.objectContaining({ mediaType: 'application/octet-stream' })],
    ],
    [
      'an embedded text',
      { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'a' } }] },
      [{ type: 'resource', resource: { uri: 'file:///a', text: 'a' } }],
    ],
    ['structured content', { content: [text], structuredContent: { n: 1 } }, { n: 1 }],
    [
      'structured content and a picture',
      { content: [picture], structuredContent: { n: 1 } },
      { n: 1, files: [pictureFile] },
    ],
    ['structured content that has files', { content: [picture], structuredContent: { files: 2 } }, { files: 2 }],
  ])('is read: %s', async (_what, result, expected) => {
    expect(await read(result)).toEqual(expected);
  });

  test('is its structured content alone where the schema allows no other members', async () => {
    const schema = { type: 'object', additionalProperties: false };
    expect(await read({ content: [picture], structuredContent: { n: 1 } }, schema)).toEqual({ n: 1 });
  });

  test.each<[string, Partial<CallToolResult>, string]>([
    ['an integer that was rounded', { structuredContent: { a: [{ id: 1234567890123456800 }] } }, 'TOOL_FAILED'],
    [
      'an integer of more than 21 digits that was rounded',
      { structuredContent: { n: 1.234567890123456e25 } },
      'TOOL_FAILED',
    ],
    ['more than 20 files', { content: Array.from({ length: 21 }, () => picture) }, 'PAYLOAD_TOO_LARGE'],
    ['text that is too large', { content: [{ type: 'text', text: 'x'.repeat(1_000_001) }] }, 'PAYLOAD_TOO_LARGE'],
  ])('is refused: %s', async (_what, result, code) => {
    await expect(read(result)).rejects.toMatchObject({ code, done: 'perhaps' });
  });

  test.each([1e18, 9_007_199_254_740_991, 1.5e300])('may have the integer %d', async (n) => {
    expect(await read({ structuredContent: { n } })).toEqual({ n });
  });
});
