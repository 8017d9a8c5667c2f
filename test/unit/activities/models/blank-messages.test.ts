import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/graph/definition/message.ts';
import { isJsonList, isJsonObject } from '../../../../src/graph/values/json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { REPLIES } from '../../../support/builders/provider-replies.ts';
import { PROVIDERS, askModel, onlyRequest } from '../../../support/doubles/asked-model.ts';
import type { Provider } from '../../../support/doubles/asked-model.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

type Said = Pick<Message, 'role' | 'content'> & Partial<Message>;

/** Returns the messages of the request that a provider gets. */
async function sentFor(provider: Provider, messages: readonly Said[], system: string | null): Promise<JsonObject[]> {
  server.answers(REPLIES[provider].text);
  const request = { system, messages: messages.map((message, at) => ({ ...message, id: `m${at}` })) };
  await askModel(server, provider, { request });
  const { body } = onlyRequest(server);
  const sent = isJsonObject(body) ? (body['messages'] ?? body['contents'] ?? body['input']) : null;
  return isJsonList(sent) ? sent.filter(isJsonObject) : [];
}

/** Returns all texts of a message in a provider's format. */
function textsIn(value: Json, name = ''): string[] {
  if (typeof value === 'string') return ['text', 'content', 'output', 'result'].includes(name) ? [value] : [];
  if (isJsonList(value)) return value.flatMap((item) => textsIn(item, name));
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, item]) => textsIn(item, key)) : [];
}

const user = (content: Message['content']): Said => ({ role: 'user', content });
const assistant = (content: string, over: Partial<Message> = {}): Said => ({ role: 'assistant', content, ...over });
const CALL = { toolCalls: [{ id: 't1', name: 'lookup', args: {} }] };
const answer = (content: string): Said => ({ role: 'tool', content, toolCallId: 't1' });

const CONVERSATIONS: readonly (readonly [what: string, messages: readonly Said[]])[] = [
  ['an empty message of a user', [user('')]],
  ['white space of a user', [user(' \n\t')]],
  ['an empty message before another', [user(''), user('Is anybody there?')]],
  [
    'an empty part',
    [
      user([
        { type: 'text', text: '' },
        { type: 'text', text: 'Hi' },
      ]),
    ],
  ],
  ['empty parts only', [user([{ type: 'text', text: ' ' }])]],
  ['no parts', [user([])]],
  ['an empty answer', [user('Hi'), assistant(''), user('Hello?')]],
  ['white space as an answer', [user('Hi'), assistant('\n'), user('Hello?')]],
  ['tool calls without text', [user('Hi'), assistant(' ', CALL), answer('Found')]],
  ['an empty result', [user('Hi'), assistant('', CALL), answer('')]],
  ['an empty instruction', [{ role: 'system', content: ' ' }, user('Hi')]],
];

describe.each(PROVIDERS)('a request to %s', (provider) => {
  test.each(CONVERSATIONS)('a provider request has no blank text for %s', async (_what, messages) => {
    const sent = await sentFor(provider, messages, ' ');
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.flatMap((message) => textsIn(message)).filter((text) => text.trim() === '')).toEqual([]);
    expect(JSON.stringify(sent)).not.toContain('"role":"system"');
  });

  test.each<[string, readonly Said[]]>([
    ['a greeting', [assistant('How can I help?'), user('Hi')]],
    ['tool calls', [assistant('', CALL), answer('Found')]],
    ['an empty answer', [assistant(''), assistant('Go on'), user('Hi')]],
    ['nothing', []],
  ])(
    'a provider request begins with a user message although the conversation begins with %s',
    async (_what, messages) => {
      const sent = await sentFor(provider, messages, null);
      expect(sent[0]).toMatchObject({ role: 'user' });
    },
  );

  test('a provider request keeps the turns of a conversation as they are', async () => {
    const sent = await sentFor(provider, [user('Hi'), assistant('Hello'), user('Bye')], null);
    expect(sent.flatMap((message) => textsIn(message))).toEqual(['Hi', 'Hello', 'Bye']);
  });
});
