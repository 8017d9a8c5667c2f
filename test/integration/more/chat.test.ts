import type { ServerResponse } from 'node:http';
import type { UIMessage } from 'ai';
import { beforeAll, describe, expect, test } from 'vitest';
import { chatOptions } from '../../../examples/chat/chat-options.ts';
import { createClient } from '../../../src/client/create-client.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { requestsOf, say } from '../../support/builders/chat-model.ts';
import { completionEvents } from '../../support/builders/provider-replies.ts';
import { begunStream } from '../../support/doubles/asked-model.ts';
import type { Answer } from '../../support/doubles/loopback-server.ts';
import { ChatClient } from '../../support/readers/chat-client.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { anAgent, useAgentStack } from '../../support/servers/agent-stack.ts';

const { stack, model, service, user } = useAgentStack();

beforeAll(async () => {
  const graph = aDefinition({
    name: 'helper',
    channels: { messages: { reducer: 'messages' } },
    nodes: { talk: anAgent({ messages: 'messages', approve: { work: 'args.euros > 100' } }) },
    edges: [{ from: '__start__', to: 'talk' }],
  });
  await user().post('/api/graphs', graph);
});

/** A chat client like that of a browser. */
function open(id: string, caller: 'user' | 'approver', messages: readonly UIMessage[] = []): ChatClient {
  const { baseUrl, tokens } = stack();
  return new ChatClient({ id, messages, ...chatOptions({ baseUrl, token: () => tokens[caller] }) });
}

/** Reads a chat as a page does after a reload. */
async function reload(id: string, caller: 'user' | 'approver'): Promise<ChatClient> {
  const { baseUrl, tokens } = stack();
  const holdfast = createClient({ baseUrl, token: tokens[caller] });
  const chat = open(id, caller, await holdfast.threads.messages<UIMessage>(id));
  await chat.resumeStream();
  return chat;
}

/** A chunk of a model's answer. */
const chunkOf = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  id: 'c',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});

/** An answer that the test completes. */
function heldAnswer(): { readonly answer: Answer; readonly response: Promise<ServerResponse> } {
  let answer: Answer = () => undefined;
  const response = new Promise<ServerResponse>((resolve) => {
    answer = resolve;
  });
  return { answer, response };
}

const contentsOf = (request: Json | undefined): unknown => {
  const messages = at(request ?? null, '/messages');
  return Array.isArray(messages) ? messages.map((message: Json) => at(message, '/content')) : null;
};

describe('a chat', () => {
  test('the chat endpoint refuses to regenerate an answer, and names the way to do it', async () => {
    model().answers(say('Once'));
    const chat = open('once', 'user');
    await chat.sendMessage({ text: 'Tell me something' });
    await chat.regenerate();
    expect(chat.errors.map(({ message }) => message)).toEqual([expect.stringContaining('fork its run instead')]);
  });

  test('the chat endpoint streams its answer, and the next message continues the thread', async () => {
    const { answer, response } = heldAnswer();
    model().answers(begunStream([chunkOf({ content: 'Hel' })], answer), say('Fine'));
    const chat = open('talking', 'user');
    const sent = chat.sendMessage({ text: 'Hi' });
    await expect.poll(() => chat.lastParts).toEqual([{ type: 'text', text: 'Hel', state: 'streaming' }]);
    const last = { ...chunkOf({ content: 'lo' }, 'stop'), usage: { prompt_tokens: 2, completion_tokens: 1 } };
    (await response).end(`data: ${JSON.stringify(last)}\n\n`);
    await sent;
    expect(chat.errors).toEqual([]);
    expect(chat.lastParts).toEqual([{ type: 'text', text: 'Hello', state: 'done' }]);
    await chat.sendMessage({ text: 'How are you?' });
    expect(chat.lastParts).toEqual([{ type: 'text', text: 'Fine', state: 'done' }]);
    expect(contentsOf(requestsOf(model())[1])).toEqual(['Hi', 'Hello', 'How are you?']);
    const { messages } = await reload('talking', 'user');
    expect(messages.map(({ id, role, parts }) => ({ id, role, parts }))).toEqual(
      chat.messages.map(({ id, role, parts }) => ({ id, role, parts })),
    );
  });

  test('a chat message requests an approval, an approver decides it, and the answer continues in the same message', async () => {
    const call = { index: 0, id: 'call-0', function: { name: 'work', arguments: '{"job":"a","euros":500}' } };
    model().answers(completionEvents([{ content: 'I will.' }, { tool_calls: [call] }], 'tool_calls'), say('Done'));
    const asking = open('deciding', 'user');
    await asking.sendMessage({ text: 'Do a' });
    expect([asking.errors, asking.lastParts]).toMatchObject([
      [],
      [{ text: 'I will.' }, { state: 'approval-requested' }],
    ]);

    const deciding = await reload('deciding', 'approver');
    expect(deciding.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(deciding.lastParts).toMatchObject([
      { text: 'I will.' },
      { type: 'dynamic-tool', input: { job: 'a', euros: 500 }, state: 'approval-requested' },
    ]);
    const id = textAt(toJson(deciding.lastParts), '/1/approval/id');
    await deciding.addToolApprovalResponse({ id, approved: true, reason: 'fine' });
    await expect.poll(() => deciding.status, { timeout: 20_000 }).toBe('ready');
    expect([deciding.errors, deciding.messages.length]).toEqual([[], 2]);
    expect(deciding.lastParts).toMatchObject([
      { text: 'I will.' },
      { toolName: 'work', state: 'output-available', output: { job: 'a' } },
      { type: 'text', text: 'Done' },
    ]);
    expect(service().done).toEqual(['a']);
    const decided = await reload('deciding', 'user');
    expect(decided.lastParts).toMatchObject([
      { text: 'I will.' },
      { toolName: 'work', state: 'output-available', approval: { id, approved: true } },
      { type: 'text', text: 'Done' },
    ]);
  });
});
