import { describe, expect, test } from 'vitest';
import { END, START, StateGraph } from '../../../src/index.ts';
import { runGraph, scriptedModel } from '../../../src/testing/index.ts';

/* Several runs of one thread, and long-term memory, in memory. */

const chat = new StateGraph({
  name: 'chat',
  channels: { messages: { reducer: 'messages' }, turns: { reducer: 'sum' }, customer: { default: 'ada' } },
})
  .addNode('answer', {
    type: 'agent',
    messages: 'messages',
    tools: [{ memory: 'customers/{{ state.customer }}', access: 'write' }],
    write: { turns: 1 },
  })
  .addSequence([START, 'answer', END]);

const says = (content: string) => ({ messages: { role: 'user', content } }) as const;
const saves = { toolCalls: [{ tool: 'memory_save', args: { key: 'drink', value: 'green tea', ttl: '2d' } }] };
const searches = (query: string) => ({ toolCalls: [{ tool: 'memory_search', args: { query } }] });

describe('a thread in tests', () => {
  test('a run goes on with the messages that the last run of its thread has left', async () => {
    const model = scriptedModel(['Hello Ada', 'You are Ada']);
    const first = await runGraph(chat, says('I am Ada'), { models: { default: model }, thread: 'support-7' });
    const second = await runGraph(chat, says('Who am I?'), { models: { default: model }, thread: first.thread });
    expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(['I am Ada', 'Hello Ada', 'Who am I?']);
    expect(second.state.turns).toBe(2);
    expect(second.thread).toMatchObject({ id: 'support-7', runs: 2, status: 'completed' });
    const ids = second.state.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  test('a run does not begin while the last run of its thread waits', async () => {
    const graph = new StateGraph({ name: 'asks' })
      .addNode('ask', { type: 'approval', title: 'Go on?' })
      .addSequence([START, 'ask', END]);
    const { thread } = await runGraph(graph, {});
    await expect(runGraph(graph, {}, { thread })).rejects.toThrow(
      'The last run of the thread "thread-1" is waiting: the next one begins when it has ended',
    );
  });
});

describe('long-term memory in tests', () => {
  test('an agent saves and finds entries, also in the next run of its thread', async () => {
    const model = scriptedModel([saves, 'Saved', searches('tea'), 'Green tea']);
    const first = await runGraph(chat, says('I like green tea'), { models: { default: model } });
    expect(first.thread.memory).toEqual({ 'customers/ada': { drink: 'green tea' } });
    const second = await runGraph(chat, says('What do I like?'), { models: { default: model }, thread: first.thread });
    expect(second.calls.find(({ name }) => name === 'memory_search')?.result).toMatchObject({
      entries: [{ key: 'drink', value: 'green tea', updatedAt: '2026-01-01T00:00:00.000Z' }],
    });
  });

  test.each([
    ['all words of the query', 'tea green', ['drink']],
    ['no entry that lacks a word', 'green coffee', []],
    ['the key', 'pets', ['pets']],
    ['nothing of another namespace', 'secret', []],
  ])('a search finds %s', async (_what, query, keys) => {
    const memory = {
      'customers/ada': { drink: { likes: 'Green tea' }, pets: ['a cat'] },
      'customers/eve': { secret: 'secret' },
    };
    const run = await runGraph(chat, says('?'), {
      models: { default: scriptedModel([searches(query), 'ok']) },
      memory,
    });
    const found = run.calls.find(({ name }) => name === 'memory_search')?.result;
    expect(found).toMatchObject({ entries: keys.map((key) => ({ key })) });
  });

  test('an entry expires by the clock of the test', async () => {
    const graph = new StateGraph({ name: 'late', channels: { found: {} } })
      .addNode('save', { type: 'agent', prompt: 'Save', tools: [{ memory: 'm', access: 'write' }] })
      .addNode('rest', { type: 'wait', for: '3d' })
      .addNode('search', { type: 'agent', prompt: 'Search', tools: [{ memory: 'm' }] })
      .addSequence([START, 'save', 'rest', 'search', END]);
    const model = scriptedModel([saves, 'Saved', searches('tea'), 'Nothing']);
    const run = await runGraph(graph, {}, { models: { default: model } });
    expect(run.calls.find(({ name }) => name === 'memory_save')?.result).toEqual({
      saved: 'drink',
      expiresAt: '2026-01-03T00:00:00.000Z',
    });
    expect(run.calls.find(({ name }) => name === 'memory_search')?.result).toMatchObject({ entries: [] });
    expect(run.thread.memory).toEqual({});
  });

  test('a fake takes the place of a tool of memory', async () => {
    const memory_search = () => ({ entries: ['faked'] });
    const models = { default: scriptedModel([searches('tea'), 'ok']) };
    const run = await runGraph(chat, says('?'), { models, tools: { memory_search } });
    expect(run.calls.find(({ name }) => name === 'memory_search')?.result).toEqual({ entries: ['faked'] });
  });
});
