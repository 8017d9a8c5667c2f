import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { modelCalls } from '../../../../src/activities/model-calls.ts';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { createGenerate } from '../../../../src/activities/models/generate.ts';
import { createGuardedFetch } from '../../../../src/network/guarded-request.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aModelRequest, aTask } from '../../../support/builders/call-builders.ts';
import {
  aCandidate,
  aClaudeMessage,
  aCompletion,
  aFunctionCall,
  aGoogleCall,
  aMessage,
  aResponse,
  aToolCall,
  aToolUse,
  begunResponse,
  claudeEvents,
} from '../../../support/builders/provider-replies.ts';
import { MODELS, PROVIDERS, begunStream, dataEvents } from '../../../support/doubles/asked-model.ts';
import type { Provider } from '../../../support/doubles/asked-model.ts';
import { breakOff, hangUp, json } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

/* Plays each row of the tables in docs/models.md with each provider, streamed and not. */

const server = await useLoopbackServer();

const page = readFileSync(new URL('../../../../docs/models.md', import.meta.url), 'utf8');
const [ENDINGS = [], WORDS = []] = tablesIn(page.slice(page.indexOf('## How an answer ends')));

/** Reads the tables of a text: their rows, without the line below the heading. */
function tablesIn(text: string): string[][][] {
  return [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('| --'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll('`', '')),
      ),
  );
}

interface Content {
  readonly text: boolean;
  readonly calls: boolean;
}

const CONTENTS: readonly Content[] = [
  { text: false, calls: false },
  { text: true, calls: false },
  { text: false, calls: true },
  { text: true, calls: true },
];

/** How a provider sends an answer. `end` is its word for the end, or `null`. */
interface Wire {
  readonly events: (content: Content, end: string | null) => readonly JsonObject[];
  readonly whole: (content: Content, end: string | null) => Json;
  /** The mark of the end of a stream. */
  readonly mark: Json;
}

const WIRES: Readonly<Record<Provider, Wire>> = {
  'openai-compatible': {
    events: ({ text, calls }, finish_reason) => [
      ...(text ? [{ choices: [{ index: 0, delta: { content: 'Hi' } }] }] : []),
      ...(calls ? [{ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...aToolCall('t1', 7) }] } }] }] : []),
      { choices: [{ index: 0, delta: {}, finish_reason }], usage: { prompt_tokens: 12, completion_tokens: 3 } },
    ],
    whole: ({ text, calls }, end) =>
      aCompletion({ content: text ? 'Hi' : ' \n', ...(calls && { tool_calls: [aToolCall('t1', 7)] }) }, end),
    mark: '[DONE]',
  },
  anthropic: {
    events: (content, end) => claudeEvents(blocksOf(content), end).slice(0, -1),
    whole: (content, end) => aClaudeMessage(blocksOf(content), end),
    mark: { type: 'message_stop' },
  },
  google: {
    events: (content, end) => [aCandidate(partsOf(content), end)],
    whole: (content, end) => aCandidate(partsOf(content), end),
    mark: '[DONE]',
  },
  openai: {
    events: (content, end) => [
      ...begunResponse(itemsOf(content)),
      ...(end === null ? [] : [{ type: endOfResponse(end), response: aResponse([], statusOf(end)) }]),
    ],
    whole: (content, end) => aResponse(itemsOf(content), statusOf(end ?? '(completed)')),
    mark: '[DONE]',
  },
};

function blocksOf({ text, calls }: Content): JsonObject[] {
  return [...(text ? [{ type: 'text', text: 'Hi' }] : []), ...(calls ? [aToolUse('t1', 7)] : [])];
}

function partsOf({ text, calls }: Content): JsonObject[] {
  return [...(text ? [{ text: 'Hi' }] : []), ...(calls ? [aGoogleCall('t1', 7)] : [])];
}

function itemsOf({ text, calls }: Content): JsonObject[] {
  return [...(text ? [aMessage('Hi')] : []), ...(calls ? [aFunctionCall('t1', 7)] : [])];
}

function endOfResponse(end: string): string {
  if (end === '(completed)') return 'response.completed';
  return end === 'failed' || end === 'cancelled' ? `response.${end}` : 'response.incomplete';
}

function statusOf(end: string): JsonObject {
  if (end === '(completed)') return { status: 'completed' };
  if (end === 'failed' || end === 'cancelled') return { status: end };
  return { status: 'incomplete', incomplete_details: { reason: end } };
}

interface Played {
  readonly stream: boolean;
  readonly answer: Answer;
}

/** The answers that a row stands for. */
function answersOf(provider: Provider, ends: string, content: Content): Played[] {
  const { events, whole, mark } = WIRES[provider];
  const streamed = (...sent: Json[]): Played => ({ stream: true, answer: dataEvents(...sent) });
  const both = (end: string | null): Played[] => [
    streamed(...events(content, end), mark),
    { stream: false, answer: json(whole(content, end)) },
  ];
  switch (ends) {
    case 'a word that is not known':
      return both('novel');
    case 'no word, but the mark of the end':
      return [streamed(...events(content, null), mark)];
    case 'no word, a complete answer':
      return provider === 'openai' ? [] : [{ stream: false, answer: json(whole(content, null)) }];
    case 'no word and no mark of a stream':
      return [streamed(...events(content, null))];
    case 'a broken connection':
      return [
        { stream: true, answer: begunStream(events(content, null), hangUp) },
        { stream: false, answer: breakOff },
      ];
    default: {
      const [, ...words] = WORDS.find(([word]) => word === ends) ?? [];
      const word = words[WORDS[0]?.indexOf(provider) === undefined ? -1 : WORDS[0].indexOf(provider) - 1] ?? '';
      return word === '' ? [] : both(word);
    }
  }
}

/** The outcome of a call in the words of the table. A turn fails with what the provider has filtered. */
async function outcomeOf(provider: Provider, { stream, answer }: Played): Promise<string> {
  server.answers(answer);
  const settings = { provider, model: MODELS[provider], baseUrl: `${server.url}/v1`, stream };
  const generate = createGenerate(settings, { fetch: createGuardedFetch([server.address]), secrets: async () => 'k' });
  const tools = { lookup: { name: 'lookup', description: '', parameters: true } };
  const { execute } = modelCalls({ models: { default: generate }, tools });
  const request = aModelRequest({
    messages: [{ id: 'm1', role: 'user', content: 'Go' }],
    tools: ['lookup'],
  });
  try {
    const reply = await execute({ ...aTask(), request }, new AbortController().signal, { attempt: 1 });
    if (reply.kind !== 'model') return reply.kind;
    return reply.finishReason === 'content-filter' ? 'fails (content_filter)' : reply.finishReason;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return error.retryable ? 'retried' : `fails (${error.reason})`;
  }
}

const ROWS = ENDINGS.slice(1).flatMap(([ends = '', ...cells]) =>
  CONTENTS.flatMap((content, at) =>
    PROVIDERS.flatMap((provider) =>
      answersOf(provider, ends, content).map((played) => ({
        ends,
        provider,
        has: ENDINGS[0]?.[at + 1] ?? '',
        way: played.stream ? 'streamed' : 'complete',
        cell: cells[at] ?? '',
        played,
      })),
    ),
  ),
);

describe('docs/models.md', () => {
  test.each(ROWS)(
    'docs/models.md states how "$ends" ends $has of $provider, $way: $cell',
    async ({ provider, played, cell }) => {
      expect(await outcomeOf(provider, played)).toBe(cell);
    },
  );

  test('docs/models.md lists all finish reasons', () => {
    expect(ROWS.length).toBeGreaterThan(200);
  });
});
