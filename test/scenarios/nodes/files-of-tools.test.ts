import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { ToolCallRequest } from '../../../src/graph/run/effect.ts';
import { isJsonObject, own, toTemplateText } from '../../../src/graph/values/json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { asks, play, playAgent, toolResultsIn } from '../../support/builders/agents.ts';
import type { Played } from '../../support/builders/agents.ts';
import { aDocument, aPicture } from '../../support/builders/file-parts.ts';

const CHART: Json = [{ type: 'text', text: 'The chart:' }, aPicture()];
const INVOICE: Json = { file: aDocument(), size: 7 };
const RESULTS: Readonly<Record<string, Json>> = { chart: CHART, invoice: INVOICE, words: 'none' };

const look = (key: string): readonly [string, Json] => ['lookup', { key }];
const tool = ({ args }: ToolCallRequest): Json =>
  own(RESULTS, isJsonObject(args) ? toTemplateText(args['key'] ?? '') : '') ?? null;
const all = asks(look('chart'), look('words'), look('invoice'));

const FILES = [[aPicture()], undefined, [aDocument()]];
const filesIn = (messages: readonly Json[]): readonly unknown[] =>
  messages.filter(isJsonObject).flatMap(({ role, files }) => (role === 'tool' ? [files] : []));
const chatOf = ({ run }: Played): readonly Json[] => {
  const { chat = [] } = run.run.root.channels;
  return Array.isArray(chat) ? chat : [];
};

describe('pictures and documents that a tool answers', () => {
  test('files that a tool answers are in the messages of an agent besides the text of the result, and stay in its channel', () => {
    const played = playAgent({ messages: 'chat', prompt: 'Look' }, { replies: [all, 'Seen'], tool });
    expect(filesIn(played.requests.at(-1)?.messages ?? [])).toEqual(FILES);
    expect(toolResultsIn(played)).toEqual([JSON.stringify(CHART), 'none', JSON.stringify(INVOICE)]);
    expect(filesIn(chatOf(played))).toEqual(FILES);
  });

  test('files that a tool answers are in the messages of a tool node with calls', () => {
    const think: NodeDefinition = { type: 'llm', messages: 'chat', tools: ['lookup'] };
    const nodes: Record<string, NodeDefinition> = { think, act: { type: 'tool', calls: 'chat' } };
    expect(filesIn(chatOf(play({ replies: [all], graph: { nodes }, tool })))).toEqual(FILES);
  });

  test('files that a tool answers are in the message of a call whose arguments a person has edited', () => {
    const approval = () => ({ decision: 'approve', args: { key: 'chart' } }) as const;
    const agent = { tools: ['lookup'], approve: { lookup: 'true' } };
    const played = playAgent(agent, { replies: [asks(look('words')), 'Seen'], tool, outside: { approval } });
    expect(filesIn(played.requests.at(-1)?.messages ?? [])).toEqual([[aPicture()]]);
  });

  test.each([
    [1_400, 'failed'],
    [2_000, 'completed'],
  ])('count in a budget of %i tokens before the model is called', (maxTokens, status) => {
    const played = playAgent(
      { maxOutputTokens: 100 },
      { replies: [asks(look('chart')), 'Seen'], tool, limits: { maxTokens } },
    );
    expect(played.run.run.status).toBe(status);
  });
});
