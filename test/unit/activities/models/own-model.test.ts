import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { createOwnModel } from '../../../../src/activities/models/own-model.ts';
import { textOf } from '../../../../src/graph/definition/message.ts';
import { aModelContext, aModelQuestion } from '../../../support/builders/call-builders.ts';

const context = aModelContext();

const ask = async (reply: unknown) => await createOwnModel(() => reply)(aModelQuestion({ model: 'echo' }), context);

describe('createOwnModel', () => {
  test('a model implemented in code gets defaults for fields that its code omits', async () => {
    const empty = { kind: 'model', text: '', toolCalls: [], finishReason: 'stop' };
    expect(await ask({})).toEqual({ ...empty, usage: { inputTokens: 0, outputTokens: 0 } });
    expect(await ask({ toolCalls: [{ name: 'pay', args: {} }] })).toMatchObject({
      toolCalls: [{ id: '', name: 'pay', args: {} }],
    });
  });

  test('a model implemented in code returns the fields of its code', async () => {
    const said = {
      text: 'Paying',
      toolCalls: [{ id: 'c1', name: 'pay', args: { amount: 7 } }],
      usage: { inputTokens: 12, outputTokens: 3 },
      finishReason: 'tool-calls',
    };
    expect(await ask(said)).toEqual({ kind: 'model', ...said });
  });

  test('a model implemented in code receives the request and the context', async () => {
    const echo = createOwnModel(({ messages }, { key }) => ({
      text: `${key} ${textOf(messages.at(-1)?.content ?? '')}`,
    }));
    expect(await echo(aModelQuestion(), context)).toMatchObject({ text: 'K1 Hello' });
  });

  test.each<[unknown, string]>([
    ['Hello', 'at /:'],
    [undefined, 'at /:'],
    [{ text: 7 }, 'at /text:'],
    [{ usage: { inputTokens: NaN, outputTokens: 1 } }, 'at /usage/inputTokens:'],
    [{ usage: { inputTokens: 1 } }, 'at /usage/outputTokens:'],
    [{ usage: { inputTokens: 1, outputTokens: -1 } }, 'at /usage/outputTokens:'],
    [{ usage: { inputTokens: 1, outputTokens: Infinity } }, 'at /usage/outputTokens:'],
    [{ usage: { inputTokens: 1, outputTokens: 1e308 } }, 'at /usage/outputTokens:'],
    [{ usage: { inputTokens: 1.5, outputTokens: 1 } }, 'at /usage/inputTokens:'],
    [{ finishReason: 'done' }, 'at /finishReason:'],
    [{ toolCalls: [{ args: {} }] }, 'at /toolCalls/0/name:'],
    [{ toolCalls: [{ name: 'pay' }] }, 'at /toolCalls/0/args:'],
    [{ toolCalls: [{ name: 'pay', args: { amount: NaN } }] }, 'at /toolCalls/0/args: NaN at /amount'],
  ])('a model implemented in code that returns %j fails without a retry', async (reply, place) => {
    const failure = { name: 'CallError', code: 'MODEL_FAILED', retryable: false };
    await expect(ask(reply)).rejects.toMatchObject({ ...failure, message: expect.stringContaining(place) });
    await expect(ask(reply)).rejects.toThrow('echo');
  });

  test.each([
    ['length', { retryable: false, reason: 'truncated' }],
    ['tool-calls', { retryable: true, reason: null }],
    ['other', { retryable: true, reason: null }],
  ])(
    'an answer without text that a model in code ended with %s is refused, and its usage counts',
    async (finishReason, failure) => {
      const usage = { inputTokens: 12, outputTokens: 3 };
      await expect(ask({ finishReason, usage })).rejects.toMatchObject({ code: 'MODEL_FAILED', ...failure, usage });
      expect(await ask({ text: 'Pay', finishReason, usage })).toMatchObject({ text: 'Pay', finishReason, usage });
    },
  );

  test('the usage of a refused answer of a model in code is counted', async () => {
    const usage = { inputTokens: 12, outputTokens: 3 };
    await expect(ask({ text: 7, usage })).rejects.toMatchObject({ code: 'MODEL_FAILED', usage });
    await expect(ask({ text: 7 })).rejects.toMatchObject({ usage: null });
    await expect(ask({ text: 7, usage: { inputTokens: -1, outputTokens: 3 } })).rejects.toMatchObject({ usage: null });
  });

  test.each(['stop', 'content-filter', 'refusal'])(
    'an empty answer that a model in code ended with %s is accepted',
    async (finishReason) => {
      expect(await ask({ finishReason })).toMatchObject({ text: '', finishReason });
    },
  );

  test('errors thrown by a model implemented in code are retryable', async () => {
    const broken = createOwnModel(() => Promise.reject(new Error('out of memory')));
    await expect(broken(aModelQuestion(), context)).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: 'out of memory',
      retryable: true,
    });
  });

  test('a model implemented in code can classify a failure itself', async () => {
    const refused = new CallError('MODEL_FAILED', 'quota', { retryable: false, done: 'no' });
    await expect(createOwnModel(() => Promise.reject(refused))(aModelQuestion(), context)).rejects.toBe(refused);
  });
});
