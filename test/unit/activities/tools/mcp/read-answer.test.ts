import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { readMcpAnswer } from '../../../../../src/activities/tools/mcp/read-answer.ts';
import type { Json, JsonObject } from '../../../../../src/graph/values/json.ts';
import { CallError, UNCLEAR } from '../../../../../src/activities/calls/call-error.ts';
import type { ToolCall } from '../../../../../src/activities/tools/tool.ts';
import { DatabaseAwayError } from '../../../../../src/store/database/database-away.ts';
import { aContext } from '../../../../support/builders/call-builders.ts';

const read = async (
  result: Partial<CallToolResult>,
  outputSchema: JsonObject | null = null,
  call: Partial<ToolCall> = {},
): Promise<Json> =>
  await readMcpAnswer({ content: [], ...result }, { call: aContext(call), outputSchema, errorMeans: 'perhaps-done' });

const text = { type: 'text', text: 'A chart' } as const;
const picture = { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' } as const;
const CLOSED = { type: 'object', additionalProperties: false };
const pictureFile = { type: 'image', blob: expect.any(String), mediaType: 'image/png' };

describe('the answer of an MCP tool', () => {
  test.each<[string, Partial<CallToolResult>, unknown]>([
    ['texts, which are joined', { content: [text, text] }, 'A chart\nA chart'],
    ['an empty answer', { content: [] }, null],
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
  ])('an MCP tool’s answer is read: %s', async (_what, result, expected) => {
    expect(await read(result)).toEqual(expected);
  });

  test('an MCP tool’s answer is its structured content alone where the schema allows no other members', async () => {
    expect(await read({ content: [picture], structuredContent: { n: 1 } }, CLOSED)).toEqual({ n: 1 });
  });

  test.each<[string, Partial<CallToolResult>, JsonObject | null, readonly unknown[]]>([
    ['the schema allows no other members', { structuredContent: { n: 1 } }, CLOSED, [pictureFile]],
    [
      'the schema allows no other members by a reference',
      { structuredContent: { n: 1 } },
      { $ref: '#/$defs/closed', $defs: { closed: { ...CLOSED, properties: { n: true } } } },
      [pictureFile],
    ],
    ['there is another member of that name', { structuredContent: { files: 2 } }, null, [pictureFile]],
    ['they are in the result', { structuredContent: { n: 1 } }, null, []],
    ['the result is the list of parts', {}, null, []],
  ])(
    'pictures of an MCP tool are attached to the call unless the result has them: %s',
    async (_, result, schema, expected) => {
      const attached: unknown[] = [];
      const sound = { type: 'audio', data: '', mimeType: 'audio/wav' } as const;
      const call = { attachFile: (file: unknown) => void attached.push(file) };
      await read({ content: [picture, sound], ...result }, schema, call);
      expect(attached).toEqual(expected);
    },
  );

  test.each([
    ['has no space', new CallError('TOOL_FAILED', 'No space', UNCLEAR)],
    ['is away', new DatabaseAwayError('away')],
  ])('an MCP tool’s answer is complete without attached pictures where the database %s', async (_, error) => {
    const keepFile = async () => await Promise.reject(error);
    expect(await read({ content: [picture], structuredContent: { n: 1 } }, CLOSED, { keepFile })).toEqual({ n: 1 });
  });

  test('the files of an MCP tool’s answer are stored after a short outage of the database', async () => {
    let tries = 0;
    const keepFile = async () => {
      tries += 1;
      if (tries === 1) throw new DatabaseAwayError('away');
      return await Promise.resolve({ type: 'image', blob: 'B1', mediaType: 'image/png' } as const);
    };
    const part = { type: 'image', blob: 'B1', mediaType: 'image/png' };
    expect(await read({ content: [text, picture] }, null, { keepFile })).toEqual([text, part]);
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
  ])('an MCP tool’s answer is refused: %s', async (_what, result, code) => {
    await expect(read(result)).rejects.toMatchObject({ code, done: 'perhaps' });
  });

  test.each([1e18, 9_007_199_254_740_991, 1.5e300])('an MCP tool’s answer may have the integer %d', async (n) => {
    expect(await read({ structuredContent: { n } })).toEqual({ n });
  });
});
