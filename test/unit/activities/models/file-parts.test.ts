import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import type { FilePart, MessageContent } from '../../../../src/graph/definition/message.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { BYTES, aDocument, aPicture } from '../../../support/builders/file-parts.ts';
import { REPLIES } from '../../../support/builders/provider-replies.ts';
import { PROVIDERS, askModel, failureOf, onlyRequest } from '../../../support/doubles/asked-model.ts';
import type { Provider } from '../../../support/doubles/asked-model.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';
import { at } from '../../../support/readers/json-at.ts';

const server = await useLoopbackServer();

const readFile = async ({ mediaType }: FilePart): Promise<Uint8Array> =>
  mediaType === 'application/pdf' ? BYTES.pdf : mediaType === 'text/plain' ? BYTES.text : BYTES.png;
const base64 = (bytes: Buffer): string => bytes.toString('base64');
const png = base64(BYTES.png);
const pdf = base64(BYTES.pdf);

const ask = async (provider: Provider, content: MessageContent, read = readFile) =>
  await askModel(server, provider, {
    request: { messages: [{ id: 'm1', role: 'user', content }] },
    readFile: read,
  });

/** Returns the request sent to a provider. */
async function sent(provider: Provider, content: MessageContent): Promise<Json> {
  server.answers(REPLIES[provider].text);
  await ask(provider, content);
  return onlyRequest(server).body;
}

const SHOWN: MessageContent = [
  { type: 'text', text: 'What is wrong?' },
  aPicture(),
  aDocument({ blob: 'B2', name: 'order.pdf' }),
];

describe('a message with a picture and a document', () => {
  test('a message with a picture and a document is sent to OpenAI in the format of the Responses API', async () => {
    expect(at(await sent('openai', SHOWN), '/input/0/content')).toEqual([
      { type: 'input_text', text: 'What is wrong?' },
      { type: 'input_image', image_url: `data:image/png;base64,${png}` },
      { type: 'input_file', filename: 'order.pdf', file_data: `data:application/pdf;base64,${pdf}` },
    ]);
  });

  test('a message with a picture and a document is sent to Anthropic in the format of the Messages API', async () => {
    expect(at(await sent('anthropic', SHOWN), '/messages/0/content')).toMatchObject([
      { type: 'text', text: 'What is wrong?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      { type: 'document', title: 'order.pdf', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
    ]);
  });

  test('a message with a picture and a document is sent to Google in the format of generateContent', async () => {
    expect(at(await sent('google', SHOWN), '/contents/0/parts')).toEqual([
      { text: 'What is wrong?' },
      { inlineData: { mimeType: 'image/png', data: png } },
      { inlineData: { mimeType: 'application/pdf', data: pdf } },
    ]);
  });

  test('a message with a picture and a document is sent to an OpenAI-compatible server in the format of chat completions', async () => {
    expect(at(await sent('openai-compatible', SHOWN), '/messages/0/content')).toEqual([
      { type: 'text', text: 'What is wrong?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'file', file: { filename: 'order.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
    ]);
  });
});

describe.each(PROVIDERS)('%s', (provider) => {
  test('a model provider never receives the URL of a file', async () => {
    const body = await sent(provider, [aPicture({ url: 'https://files.example/secret' })]);
    expect(JSON.stringify(body)).not.toContain('files.example');
  });

  test('a model provider receives no empty text next to a file', async () => {
    const body = await sent(provider, [{ type: 'text', text: '' }, aPicture()]);
    expect(JSON.stringify(body)).not.toContain('"text":""');
  });

  test('a model provider is not called when a file of the prompt can not be read', async () => {
    const gone = new CallError('MODEL_FAILED', 'There is no file B1', { retryable: false, done: 'no', reason: 'x' });
    const error = await failureOf(ask(provider, [aPicture()], async () => await Promise.reject(gone)));
    expect([error, server.requests]).toMatchObject([{ message: 'There is no file B1', reason: 'x', done: 'no' }, []]);
  });

  test('a model provider receives a note instead of a file in an assistant message', async () => {
    server.answers(REPLIES[provider].text);
    await askModel(server, provider, {
      request: {
        messages: [
          { id: 'm1', role: 'user', content: 'Draw' },
          { id: 'm2', role: 'assistant', content: [{ type: 'text', text: 'Here' }, aPicture()] },
          { id: 'm3', role: 'user', content: 'Thanks' },
        ],
      },
    });
    const body = JSON.stringify(onlyRequest(server).body);
    expect(body).toContain('Here\\n[Shown: image/png]');
    expect(body).not.toContain(png);
  });
});

test.each([
  ['openai', 'text/plain'],
  ['openai-compatible', 'application/zip'],
  ['anthropic', 'audio/wav'],
] as const)(
  'the provider %s is not called with files of the type %s, which its adapter does not support',
  async (provider, mediaType) => {
    const error = await failureOf(ask(provider, [aDocument({ blob: 'B', mediaType })]));
    expect(error).toMatchObject({
      code: 'MODEL_FAILED',
      reason: 'unsupported_media_type',
      retryable: false,
      done: 'no',
    });
    expect([error.message, toJson([...server.requests])]).toEqual([expect.stringContaining(mediaType), []]);
  },
);
