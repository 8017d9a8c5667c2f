import { runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { chat } from '../graphs/chat.ts';
import { bookTrip, weather } from '../tools/travel-tools.ts';

const tools = { weather, book_trip: bookTrip };
const ask = (content: string) => ({ messages: [{ role: 'user', content }] }) as const;

test('the agent looks at the weather', async () => {
  const model = scriptedModel([{ toolCalls: [{ tool: 'weather', args: { city: 'Rome' } }] }, 'It is sunny.']);
  const run = await runGraph(chat, ask('How is Rome?'), { models: { default: model }, tools });
  expect(run.state.messages?.at(-1)?.content).toBe('It is sunny.');
});

test('a person approves each trip, and may change it', async () => {
  const model = scriptedModel([{ toolCalls: [{ tool: 'book_trip', args: { city: 'Rome', euros: 300 } }] }, 'Booked.']);
  const decisions = [{ node: 'agent', decision: 'approve', args: { city: 'Rome', euros: 100 } }] as const;
  const run = await runGraph(chat, ask('Book Rome'), { models: { default: model }, tools, decisions });
  expect(run.calls.find(({ name }) => name === 'book_trip')?.result).toEqual({ booked: 'Rome', euros: 100 });
});
