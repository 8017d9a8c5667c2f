import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import type { FilePart, Message, StoredFilePart } from '../../../../src/graph/definition/message.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import { aCaller, aMessage, anAnswer } from '../../../support/builders/conversations.ts';
import { BYTES } from '../../../support/builders/file-parts.ts';
import { REPLIES } from '../../../support/builders/provider-replies.ts';
import { PROVIDERS, askModel, failureOf, onlyRequest } from '../../../support/doubles/asked-model.ts';
import type { Provider } from '../../../support/doubles/asked-model.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';
import { at, listAt } from '../../../support/readers/json-at.ts';

const server = await useLoopbackServer();

const png = BYTES.png.toString('base64');
const pdf = BYTES.pdf.toString('base64');
const picture: StoredFilePart = { type: 'image', blob: 'P1', mediaType: 'image/png' };
const document: StoredFilePart = { type: 'file', blob: 'D1', mediaType: 'application/pdf' };

const answering = (id: string, call: string, ...files: readonly StoredFilePart[]): Message => ({
  ...anAnswer(id, call, 'Here'),
  files: [...files],
});

/** Two calls in one turn, each answered with a file. */
const BLOCK: readonly Message[] = [
  aMessage('u1', 'user', 'Look'),
  aCaller('a1', 'k1', 'k2'),
  answering('t1', 'k1', picture),
  answering('t2', 'k2', document),
];

const readFile = async ({ mediaType }: FilePart): Promise<Uint8Array> =>
  await Promise.resolve(mediaType === 'application/pdf' ? BYTES.pdf : BYTES.png);

const ask = async (provider: Provider, messages: readonly Message[], read = readFile) =>
  await askModel(server, provider, { request: { messages }, readFile: read });

async function sent(provider: Provider, messages: readonly Message[], read = readFile): Promise<Json> {
  server.answers(REPLIES[provider].text);
  await ask(provider, messages, read);
  return onlyRequest(server).body;
}

const about = (blob: string, call: string): string =>
  `The tool lookup has answered this file (${blob}) in call ${call}:`;

describe('files that tools have answered follow all answers of their turn', () => {
  test('a compatible server receives files of tools in a user message after all answers', async () => {
    expect(listAt(await sent('openai-compatible', BLOCK), '/messages').slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'k1', content: 'Here' },
      { role: 'tool', tool_call_id: 'k2', content: 'Here' },
      {
        role: 'user',
        content: [
          { type: 'text', text: about('P1', 'k1') },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'text', text: about('D1', 'k2') },
          { type: 'file', file: { filename: 'document.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
        ],
      },
    ]);
  });

  test('OpenAI receives files of tools in a user input after all answers', async () => {
    expect(listAt(await sent('openai', BLOCK), '/input').slice(3)).toMatchObject([
      { type: 'function_call_output', call_id: 'k1', output: 'Here' },
      { type: 'function_call_output', call_id: 'k2', output: 'Here' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: about('P1', 'k1') },
          { type: 'input_image', image_url: `data:image/png;base64,${png}` },
          { type: 'input_text', text: about('D1', 'k2') },
          { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}` },
        ],
      },
    ]);
  });

  test('Anthropic receives files of tools after the results in the same message', async () => {
    const messages = listAt(await sent('anthropic', BLOCK), '/messages');
    expect(messages).toHaveLength(3);
    expect(at(messages[2] ?? null, '/content')).toMatchObject([
      { type: 'tool_result', tool_use_id: 'k1' },
      { type: 'tool_result', tool_use_id: 'k2' },
      { type: 'text', text: about('P1', 'k1') },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      { type: 'text', text: about('D1', 'k2') },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
    ]);
  });

  test('Google receives files of tools in a user content after all answers', async () => {
    expect(listAt(await sent('google', BLOCK), '/contents').slice(2)).toMatchObject([
      { role: 'user', parts: [{ functionResponse: {} }, { functionResponse: {} }] },
      {
        role: 'user',
        parts: [
          { text: about('P1', 'k1') },
          { inlineData: { mimeType: 'image/png', data: png } },
          { text: about('D1', 'k2') },
          { inlineData: { mimeType: 'application/pdf', data: pdf } },
        ],
      },
    ]);
  });

  test('joined with a message of the user that comes next', async () => {
    const messages = [
      ...BLOCK.slice(0, 1),
      aCaller('a1', 'k1'),
      answering('t1', 'k1', picture),
      aMessage('u2', 'user'),
    ];
    expect(listAt(await sent('openai-compatible', messages), '/messages').slice(3)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: about('P1', 'k1') },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'text', text: 'u2' },
        ],
      },
    ]);
  });

  test('before the next message of the assistant', async () => {
    const messages = [...BLOCK, aMessage('a2', 'assistant'), aMessage('u2', 'user')];
    const roles = listAt(await sent('openai-compatible', messages), '/messages').map((message) => at(message, '/role'));
    expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant', 'user']);
  });
});

describe.each(PROVIDERS)('%s is sent a text in place of a file', (provider) => {
  const failing = (code: 'MODEL_FAILED' | 'PAYLOAD_TOO_LARGE', reason: string | null) => async () =>
    await Promise.reject(new CallError(code, 'secret', { retryable: false, done: 'no', reason }));

  test.each<[string, StoredFilePart, typeof readFile, string]>([
    ['that is gone', picture, failing('MODEL_FAILED', 'unknown_file'), '[image/png, not shown: it is not available]'],
    [
      'beyond the limit of a prompt',
      picture,
      failing('PAYLOAD_TOO_LARGE', null),
      '[image/png, not shown: it is too large]',
    ],
    [
      'beyond their number',
      picture,
      failing('MODEL_FAILED', 'too_many_files'),
      '[image/png, not shown: there are too many files]',
    ],
    [
      'of another type',
      picture,
      failing('MODEL_FAILED', 'wrong_media_type'),
      '[image/png, not shown: its bytes are of another type]',
    ],
    [
      'that no model takes',
      { ...picture, mediaType: 'image/svg+xml' },
      async () => expect.unreachable(),
      '[image/svg+xml, not shown: the model does not take it]',
    ],
  ])('%s', async (_, file, read, text) => {
    const messages = [aMessage('u1', 'user'), aCaller('a1', 'k1'), answering('t1', 'k1', file)];
    const body = JSON.stringify(await sent(provider, messages, read));
    expect(body).toContain(`Here\\n${text}`);
    expect(body).not.toContain('has answered this file');
    expect(body).not.toContain('secret');
  });

  test('and fails where the store is away, so that the call is made again', async () => {
    const away = async () => await Promise.reject(new Error('The database is away'));
    expect((await failureOf(ask(provider, BLOCK, away))).retryable).toBe(true);
    expect(server.requests).toEqual([]);
  });

  test.each([
    [400, 'this model does not support image input'],
    [400, 'invalid message format'],
    [404, 'No endpoints found that support image input'],
    [422, 'content must be a string'],
  ])('that it refuses with status %i: %s', async (status, message) => {
    server.answers(json({ error: { message } }, status), REPLIES[provider].text);
    expect(await ask(provider, BLOCK)).toMatchObject({ text: 'Hi' });
    const [first = '', second = ''] = server.requests.map(({ body }) => body);
    expect(first).toContain(png);
    expect(second).not.toContain(png);
    expect(second).toContain('Here\\n[image/png, 1 kB, not shown: the model does not take it]');
  });

  test('that it refuses at the last attempt by an error of the server', async () => {
    server.answers(json({ error: { message: 'image input is not supported' } }, 500), REPLIES[provider].text);
    expect(
      await askModel(server, provider, { request: { messages: BLOCK }, readFile, isLastAttempt: true }),
    ).toMatchObject({ text: 'Hi' });
    const [first = '', second = ''] = server.requests.map(({ body }) => body);
    expect(first).toContain(png);
    expect(second).not.toContain(png);
  });

  test('only at the last attempt where the server has an error with pictures', async () => {
    server.answers(json({ error: { message: 'Could not load the image now' } }, 500));
    expect((await failureOf(ask(provider, BLOCK))).retryable).toBe(true);
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ['the prompt is filtered', 400, { code: 'content_filter', message: 'filtered' }],
  ['the key is wrong', 401, { message: 'No such key' }],
  ['the server is broken', 500, { message: 'Oh' }],
])('a model is not asked again without files when %s', async (_, status, error) => {
  server.answers(json({ error }, status));
  await failureOf(ask('openai-compatible', BLOCK));
  expect(server.requests).toHaveLength(1);
});

test('a refused request without files of tools is not repeated', async () => {
  server.answers(json({ error: { message: 'no images here' } }, 400));
  const content: Message['content'] = [picture];
  await failureOf(ask('openai-compatible', [{ id: 'u1', role: 'user', content }]));
  expect(server.requests).toHaveLength(1);
});

test('Anthropic is not sent a picture of more than 5 MiB in Base64', async () => {
  const large = Buffer.concat([BYTES.png, Buffer.alloc(3_932_160)]);
  const messages = [aMessage('u1', 'user'), aCaller('a1', 'k1'), answering('t1', 'k1', picture)];
  const body = JSON.stringify(await sent('anthropic', messages, async () => await Promise.resolve(large)));
  expect(body).toContain('Here\\n[image/png, 3933 kB, not shown: it is too large]');
});

test('files of users are read first, then those of tools, the latest first', async () => {
  const read: string[] = [];
  const messages: readonly Message[] = [
    aMessage('u1', 'user'),
    aCaller('a1', 'k1'),
    answering('t1', 'k1', picture),
    aCaller('a2', 'k2'),
    answering('t2', 'k2', { ...picture, blob: 'P2' }),
    { id: 'u2', role: 'user', content: [{ ...picture, blob: 'U1' }] },
  ];
  await sent('openai-compatible', messages, async (part) => {
    read.push(typeof part['blob'] === 'string' ? part['blob'] : '');
    return await readFile(part);
  });
  expect(read).toEqual(['U1', 'P2', 'P1']);
});

test('a picture of the type image/jpg is sent as image/jpeg', async () => {
  const messages = [
    aMessage('u1', 'user'),
    aCaller('a1', 'k1'),
    answering('t1', 'k1', { ...picture, mediaType: 'image/jpg' }),
  ];
  const body = JSON.stringify(toJson(await sent('anthropic', messages)));
  expect(body).toContain('"media_type":"image/jpeg"');
});
