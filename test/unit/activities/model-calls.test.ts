import { describe, expect, test, vi } from 'vitest';
import { modelCalls } from '../../../src/activities/model-calls.ts';
import type { ModelDeps } from '../../../src/activities/model-calls.ts';
import type { CallTask } from '../../../src/activities/calls/call-task.ts';
import type { MadeAttempt } from '../../../src/activities/calls/make-attempt.ts';
import type { PublishDeltas } from '../../../src/activities/open-deltas.ts';
import type { Generate, ModelRequest } from '../../../src/activities/models/model.ts';
import type { Message } from '../../../src/graph/definition/message.ts';
import type { LiveUpdate } from '../../../src/graph/journal/model-delta.ts';
import type { CallReply, ModelCallRequest, ModelReply } from '../../../src/graph/run/effect.ts';
import { aModelRequest, aTask } from '../../support/builders/call-builders.ts';
import { aMessage } from '../../support/builders/conversations.ts';

const { signal } = new AbortController();
const REPLY: ModelReply = {
  kind: 'model',
  text: 'Hi',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1 },
};
const talk = [aMessage('u1', 'user'), aMessage('a1', 'assistant'), aMessage('u2', 'user')];
const measures = { default: { contextWindow: 20, loadCounter: async () => (text: string) => text.length } };

interface Called {
  readonly reply: CallReply;
  /** The requests to the model. */
  readonly asked: readonly ModelRequest[];
}

const place = { visit: 2, path: ['outer'] };

/** Returns the deltas published during a call. */
async function toldOf(
  generate: Generate,
  over: Partial<CallTask<ModelCallRequest>> = {},
  made: MadeAttempt = { attempt: 1 },
) {
  const told: (readonly [string, LiveUpdate])[] = [];
  const publishDeltas: PublishDeltas = (runId, deltas) => told.push(...deltas.map((delta) => [runId, delta] as const));
  const calls = modelCalls({ models: { default: generate }, tools: {}, measures, publishDeltas });
  const task = { ...aTask(), ...place, request: aModelRequest({ messages: talk }), ...over };
  await calls.execute(task, signal, made).catch(() => undefined);
  return told;
}

async function call(request: Partial<ModelCallRequest>, deps: Partial<ModelDeps> = {}): Promise<Called> {
  const asked: ModelRequest[] = [];
  const generate: ModelDeps['models'][string] = async (question) => {
    asked.push(question);
    return REPLY;
  };
  const calls = modelCalls({ models: { default: generate }, tools: {}, measures, ...deps });
  const task = { ...aTask(), request: aModelRequest({ messages: talk, ...request }) };
  return { reply: await calls.execute(task, signal, { attempt: 1 }), asked };
}

describe('modelCalls', () => {
  test('a model call knows whether it is the last attempt', async () => {
    const seen: unknown[] = [];
    const generate: Generate = async (_request, { isLastAttempt }) => {
      seen.push(isLastAttempt);
      return REPLY;
    };
    const request = aModelRequest({ messages: talk });
    const { maxAttempts } = request.policy.retry;
    const calls = modelCalls({ models: { default: generate }, tools: {}, measures });
    for (const attempt of [maxAttempts - 1, maxAttempts])
      await calls.execute({ ...aTask(), request }, signal, { attempt });
    expect(seen).toEqual([false, true]);
  });

  test('a model call without a context policy sends all messages', async () => {
    const { reply, asked } = await call({});
    expect(reply).toEqual(REPLY);
    expect(asked).toMatchObject([{ messages: talk, tools: [] }]);
  });

  test('a model call sends the messages that fit into the context window, and reports how many', async () => {
    const { reply, asked } = await call({ context: { maxTokens: null, strategy: 'last' } });
    expect(asked[0]?.messages).toEqual(talk.slice(1));
    expect(reply).toEqual({ ...REPLY, context: { tokens: 15, maxTokens: 20, dropped: 1 } });
  });

  test('a model call that needs a summary first requests it, and sends nothing', async () => {
    const { reply, asked } = await call({ context: { maxTokens: null, strategy: 'summarize' } });
    expect([reply, asked]).toEqual([{ kind: 'overflow', messages: 2 }, []]);
  });

  test('a model call applies context processors of the configuration', async () => {
    const messageProcessors = { newest: (messages: readonly Message[]) => messages.slice(-1) };
    const { asked } = await call({ context: { maxTokens: null, strategy: ['newest'] } }, { messageProcessors });
    expect(asked[0]?.messages).toEqual(talk.slice(2));
  });

  test('a model call sends the tools that its node offers', async () => {
    const pay = { name: 'pay', description: 'Pay', parameters: {} };
    const { asked } = await call({ tools: ['pay', 'gone'] }, { tools: { pay, other: pay } });
    expect(asked[0]?.tools).toEqual([pay]);
  });

  test('a model’s streamed text is published with the position of its call', async () => {
    const told = await toldOf(
      async (_question, { emit }) => {
        emit('Hi');
        return REPLY;
      },
      {},
      { attempt: 3 },
    );
    const delta = { node: 'pay', visit: 2, path: ['outer'], attempt: 3, callKey: 'R1.pay.1', index: 0, text: 'Hi' };
    expect(told).toEqual([['R1', delta]]);
  });

  test('the complete answer of a model that does not stream is published', async () => {
    expect(await toldOf(async () => REPLY)).toMatchObject([['R1', { index: 0, text: 'Hi' }]]);
  });

  test('a model’s streamed text is published up to the model’s failure', async () => {
    const told = await toldOf(async (_question, { emit }) => {
      emit('H');
      throw new Error('broken');
    });
    expect(told).toMatchObject([['R1', { text: 'H' }]]);
  });

  test('the text of an attempt after a lost one is published under a new number', async () => {
    const told = await toldOf(async () => REPLY, {}, { attempt: 1, turn: 2 });
    expect(told).toMatchObject([['R1', { attempt: 2, index: 0 }]]);
  });

  test('deltas of a summary, and of a model call with an unknown position, are not published', async () => {
    const asking = aModelRequest({ messages: [...talk, aMessage('summarize-0', 'user')] });
    expect(await toldOf(async () => REPLY, { request: asking })).toEqual([]);
    const withoutPlace = { ...aTask(), request: aModelRequest() };
    const publishDeltas = vi.fn<PublishDeltas>();
    await modelCalls({ models: { default: async () => REPLY }, tools: {}, publishDeltas }).execute(
      withoutPlace,
      signal,
      {
        attempt: 1,
      },
    );
    expect(publishDeltas).not.toHaveBeenCalled();
  });

  const cutOff: ModelReply = { ...REPLY, finishReason: 'length' };

  test('an answer that was truncated within its tool calls is refused, and its tokens are counted', async () => {
    const reply = { ...cutOff, toolCalls: [{ id: 't1', name: 'purge', args: {} }] };
    const refused = { code: 'MODEL_FAILED', retryable: false, reason: 'truncated', usage: REPLY.usage };
    const models = { default: async () => reply };
    await expect(call({ tools: ['purge'] }, { models })).rejects.toMatchObject(refused);
    expect((await call({}, { models })).reply).toEqual(reply);
    expect((await call({ tools: ['purge'], toolChoice: 'none' }, { models })).reply).toEqual(reply);
  });

  test('a model answer whose text was truncated is accepted', async () => {
    expect((await call({}, { models: { default: async () => cutOff } })).reply).toEqual(cutOff);
  });

  test.each(['other', 'constructor', '__proto__'])(
    'a worker without the model %s fails the call and names the model in the error',
    async (model) => {
      await expect(call({ model })).rejects.toMatchObject({ code: 'MODEL_FAILED', retryable: false, done: 'no' });
    },
  );
});
