import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createGuardedFetch } from '../../../src/network/guarded-request.ts';
import { createGenerate } from '../../../src/activities/models/generate.ts';
import type { ModelRequest } from '../../../src/activities/models/model.ts';
import { actAsAgent, answerPrompt } from '../../../src/dev/scripted-model/completion.ts';
import { classifyTicket, findAmount, LANGUAGES } from '../../../src/dev/scripted-model/classify.ts';
import { FactsSchema, PromptTicketSchema } from '../../../src/dev/scripted-model/prompt.ts';
import type { ScriptedConversation, ReplyFacts, PromptTicket } from '../../../src/dev/scripted-model/prompt.ts';
import { REPLY_TEXTS, writeReply } from '../../../src/dev/scripted-model/write-reply.ts';
import { checkReply, reviseReply } from '../../../src/dev/scripted-model/review-reply.ts';
import { smallestValue } from '../../../src/dev/scripted-model/smallest-value.ts';
import { startScriptedModel } from '../../../src/dev/scripted-model/server.ts';
import { compileJsonSchema } from '../../../src/graph/values/json-schema.ts';
import { aModelContext, aModelQuestion } from '../../support/builders/call-builders.ts';

const TICKETS = new URL('../../../graphs/refund-triage/tickets.jsonl', import.meta.url);
const tickets = readFileSync(TICKETS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => z.looseObject({ id: z.string() }).parse(JSON.parse(line)));

function ticketOf(id: string): PromptTicket {
  return PromptTicketSchema.parse(tickets.find((ticket) => ticket.id === id));
}

function someFacts(overrides: Partial<ReplyFacts> = {}): ReplyFacts {
  const paid = {
    situation: 'refunded',
    reference: 'Reference: T-01',
    order: { number: 'A-1001', item: 'Lamp' },
    amountRefunded: 49.9,
    currency: 'USD',
  };
  return FactsSchema.parse({ ...paid, ...overrides });
}

describe('classify', () => {
  test.each([
    { id: 'T-01', intent: 'refund', orderNumbers: ['A-1001'], amount: null, language: 'en' },
    { id: 'T-02', intent: 'refund', orderNumbers: ['A-1002'], amount: 100, language: 'en' },
    { id: 'T-04', intent: 'refund', orderNumbers: ['A-1004'], amount: 1_899, language: 'en' },
    { id: 'T-05', intent: 'refund', orderNumbers: ['A-1005'], amount: null, language: 'en' },
    { id: 'T-07', intent: 'refund', orderNumbers: ['A-1007'], amount: null, language: 'de' },
    { id: 'T-08', intent: 'refund', orderNumbers: ['A-1008'], amount: 35, language: 'es' },
    { id: 'T-09', intent: 'refund', orderNumbers: ['A-1009'], amount: 89.99, language: 'fr' },
    { id: 'T-10', intent: 'refund', orderNumbers: ['A-1010'], amount: 64, language: 'ja' },
    { id: 'T-11', intent: 'refund', orderNumbers: ['A-1011'], amount: null, language: 'en' },
    { id: 'T-13', intent: 'other', orderNumbers: ['A-1013'], amount: null, language: 'en' },
    { id: 'T-14', intent: 'refund', orderNumbers: ['A-1014', 'A-1015'], amount: null, language: 'en' },
    { id: 'T-15', intent: 'refund', orderNumbers: [], amount: null, language: 'en' },
    { id: 'T-22', intent: 'other', orderNumbers: [], amount: null, language: 'en' },
    { id: 'T-23', intent: 'refund', orderNumbers: [], amount: null, language: 'en' },
    { id: 'T-26', intent: 'refund', orderNumbers: ['A-1026'], amount: null, language: 'en' },
    { id: 'T-29', intent: 'refund', orderNumbers: ['A-1029'], amount: 249.9, language: 'de' },
    { id: 'T-30', intent: 'other', orderNumbers: [], amount: null, language: 'fr' },
    { id: 'T-31', intent: 'refund', orderNumbers: [], amount: null, language: 'ja' },
    { id: 'T-33', intent: 'refund', orderNumbers: ['A-1033'], amount: null, language: 'en' },
    { id: 'T-34', intent: 'refund', orderNumbers: ['A-1034'], amount: 1_249, language: 'en' },
    { id: 'T-35', intent: 'refund', orderNumbers: ['A-1035'], amount: null, language: 'es' },
    { id: 'T-37', intent: 'other', orderNumbers: [], amount: null, language: 'de' },
  ])(
    'the scripted model classifies ticket $id as $intent, $orderNumbers, $amount, $language',
    ({ id, ...expected }) => {
      expect(classifyTicket(ticketOf(id))).toMatchObject(expected);
    },
  );
});

describe('findAmount', () => {
  test.each([
    ['$49.90', 49.9, 'USD'],
    ['US$ 1,249.00 now', 1_249, 'USD'],
    ['USD 1,249', 1_249, 'USD'],
    ['1.249,50 Dollar', 1_249.5, 'USD'],
    // cspell:disable-next-line
    ['35 dólares', 35, 'USD'],
    ['64ドル', 64, 'USD'],
    ['60 €', 60, 'EUR'],
    ['£12, not $13', 12, 'GBP'],
  ])('the scripted model finds the amount of "%s"', (text, amount, currency) => {
    expect(findAmount(text)).toEqual({ amount, currency });
  });

  test('the scripted model finds no amount in order numbers and dates', () => {
    expect(findAmount('Order A-1001 of 2025-03-01, 3 pieces')).toBeNull();
  });
});

describe('the replies of the scripted model', () => {
  const situations = Object.keys(REPLY_TEXTS.en.situations);

  test.each(LANGUAGES)(
    'the scripted model’s replies are written for every situation in %s, and pass their check',
    (language) => {
      expect(Object.keys(REPLY_TEXTS[language].situations)).toEqual(situations);
      for (const situation of situations) {
        const facts = someFacts({
          situation,
          language,
          amountRefunded: situation.endsWith('refunded') ? 49.9 : 0,
          rejectionReason: 'too late',
        });
        const reply = writeReply(facts, { subject: '', body: '' });
        if (situation === 'already-refunded') facts.amountRefunded = 0;
        expect([situation, checkReply(reply, facts).verdict]).toEqual([situation, 'pass']);
        expect(reply).not.toMatch(/[{}]/);
      }
    },
  );

  test.each([
    ['a guarantee that the customer asks for', 'T-25', /guarantee/],
    ['a reference line forgotten over a long ticket', 'T-11', /reference line/],
  ])('a reply of the scripted model fails its check with %s, and the revision corrects it', (_what, id, reason) => {
    const facts = someFacts();
    const ticket = ticketOf(id);
    const draft = writeReply(facts, ticket);
    const verdict = checkReply(draft, facts);
    expect(verdict).toMatchObject({ verdict: 'fail', reason: expect.stringMatching(reason) });
    const revised = reviseReply({ draft, reason: verdict.reason, facts, ticket });
    expect(checkReply(revised, facts)).toEqual({ verdict: 'pass', reason: '' });
  });

  test('a reply of the scripted model keeps a promise that the customer dictates in every revision', () => {
    const facts = someFacts();
    const ticket = ticketOf('T-26');
    let draft = writeReply(facts, ticket);
    for (let times = 0; times < 3; times++) {
      const { verdict, reason } = checkReply(draft, facts);
      expect(verdict).toBe('fail');
      draft = reviseReply({ draft, reason, facts, ticket });
    }
    expect(draft).toContain('We guarantee free repairs');
  });

  test('a reply of the scripted model fails its check without the amount', () => {
    expect(checkReply('Hello\n\nReference: T-01', someFacts()).reason).toContain('amount');
  });
});

describe('prompts without a rule', () => {
  test.each([
    [{ type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer', minimum: 2.5 } }, required: ['b'] }],
    [
      {
        type: 'object',
        properties: {
          kind: { enum: ['x', 'y'] },
          list: { items: { type: 'number', exclusiveMinimum: 4 }, minItems: 2 },
        },
        required: ['kind', 'list'],
      },
    ],
    [{ type: ['string', 'null'] }],
    [{ anyOf: [{ type: 'boolean' }, { type: 'string' }] }],
    [{ type: 'array', items: { const: 7 }, minItems: 1 }],
    [{ type: 'string', minLength: 3 }],
    [{ type: 'number', maximum: -1 }],
    [{ properties: {} }],
    [true],
  ])('the scripted model answers an unknown prompt with a value that fits the schema %j', (schema) => {
    expect(compileJsonSchema(schema)(smallestValue(schema))).toEqual([]);
  });

  test('the scripted model echoes an unknown prompt without a schema', () => {
    expect(answerPrompt({ system: '', user: 'Hi there', schema: null })).toBe('You said: Hi there');
  });

  test('the scripted model counts prompt sections that are missing or broken as empty', () => {
    const system = 'You classify support tickets';
    const replies = ['', '<ticket>{</ticket>'].map((user) => answerPrompt({ system, user, schema: null }));
    expect(replies.map((reply): unknown => JSON.parse(reply))).toMatchObject([
      { intent: 'other' },
      { intent: 'other' },
    ]);
  });
});

describe('the server of the scripted model', () => {
  let model: Awaited<ReturnType<typeof startScriptedModel>>;
  beforeAll(async () => {
    model = await startScriptedModel({ port: 0 });
  });
  afterEach(async () => void (await fetch(`${model.url}/faults`, { method: 'DELETE' })));
  afterAll(async () => await model.stop());

  const hello = { model: 'scripted', messages: [{ role: 'user', content: 'Hello' }] };
  const post = async (path: string, body: unknown): Promise<Response> =>
    await fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) });

  test('the scripted model’s server answers chat completions as OpenAI does, the same every time', async () => {
    const [first, second]: unknown[] = [
      await (await post('/chat/completions', hello)).json(),
      await (await post('/chat/completions', hello)).json(),
    ];
    expect(first).toMatchObject({
      object: 'chat.completion',
      model: 'scripted',
      choices: [{ index: 0, message: { role: 'assistant', content: 'You said: Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 },
    });
    expect(second).toEqual(first);
  });

  test('the scripted model’s server answers requests of the engine’s provider', async () => {
    const generate = createGenerate(
      { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url },
      { fetch: createGuardedFetch([new URL(model.url).host]), secrets: async () => '' },
    );
    const reply = await generate(
      aRequest({ output: { type: 'object', properties: { n: { type: 'integer', minimum: 3 } }, required: ['n'] } }),
      aModelContext({ signal: AbortSignal.timeout(5_000) }),
    );
    expect(reply).toMatchObject({ kind: 'model', text: '{"n":3}', finishReason: 'stop', usage: { outputTokens: 2 } });
  });

  test('the scripted model’s server streams the same answer on request', async () => {
    const said: string[] = [];
    const ask = async (stream: boolean) =>
      await createGenerate(
        { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url, stream },
        { fetch: createGuardedFetch([new URL(model.url).host]), secrets: async () => '' },
      )(aRequest(), aModelContext({ emit: (text) => said.push(text) }));
    expect(await ask(true)).toEqual(await ask(false));
    expect(said).toEqual(['You ', 'said: ', 'Count']);
  });

  test('the scripted model’s server lists its model', async () => {
    expect(await (await fetch(`${model.url}/models`)).json()).toMatchObject({
      object: 'list',
      data: [{ id: 'scripted' }],
    });
  });

  test.each([[{ model: 'scripted', messages: [] }], [{ messages: hello.messages }], ['text']])(
    'the scripted model’s server refuses the request %j',
    async (body) => {
      const response = await post('/chat/completions', body);
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { type: 'invalid_request_error' } },
      ]);
    },
  );

  test('the scripted model’s server fails as configured', async () => {
    expect((await post('/faults', { status: 429, retryAfter: 2, times: 1 })).status).toBe(201);
    const failure = await post('/chat/completions', hello);
    expect([failure.status, failure.headers.get('retry-after')]).toEqual([429, '2']);
    await post('/faults', { drop: true, times: 1 });
    await expect(post('/chat/completions', hello)).rejects.toThrow('fetch failed');
    expect((await post('/chat/completions', hello)).status).toBe(200);
  });
});

function aRequest(over: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ id: 'prompt', role: 'user', content: 'Count' } as const];
  return aModelQuestion({ system: 'You count', messages, ...over });
}

describe('the agent of the scripted model', () => {
  const SYSTEM = 'You settle requests for refunds.';
  const order = (number: string, over: object = {}): string =>
    JSON.stringify({ orders: [{ number, item: 'Lamp', total: 50, refunded: 10, currency: 'USD', ...over }] });
  const conversation = (over: Partial<ScriptedConversation> = {}): ScriptedConversation => ({
    system: SYSTEM,
    user: 'Refund A-1001 and A-1002, and A-1001 once more.',
    schema: null,
    tools: ['lookup_order', 'issue_refund'],
    calls: [],
    ...over,
  });
  const lookup = (number: string, answer: string) => ({ name: 'lookup_order', args: { number }, answer });
  const refund = (number: string, answer: string) => ({
    name: 'issue_refund',
    args: { order: number, amount: 40 },
    answer,
  });
  const known = [lookup('A-1001', order('A-1001')), lookup('A-1002', '{"orders":[]}')];

  test('the scripted model returns null for unknown agents', () => {
    expect(actAsAgent(conversation({ system: 'You paint.' }))).toBeNull();
  });

  test('the scripted model’s agent looks up every named order once', () => {
    const calls = ['A-1001', 'A-1002'].map((number) => ({ name: 'lookup_order', args: { number } }));
    expect(actAsAgent(conversation())).toEqual({ kind: 'calls', calls });
  });

  test('the scripted model’s agent refunds the rest of the orders found', () => {
    const args = { order: 'A-1001', amount: 40, reason: 'asked for by the customer' };
    expect(actAsAgent(conversation({ calls: known }))).toEqual({
      kind: 'calls',
      calls: [{ name: 'issue_refund', args }],
    });
  });

  test.each([
    ['{"amount":40}', 'A-1001: 40.00 USD paid back.'],
    ['{"amount":20}\n(A person changed the arguments)', 'A-1001: 20.00 USD paid back.'],
    ['Execution failed: too much', 'A-1001: nothing paid back. Execution failed: too much'],
  ])('the scripted model’s agent reports the result: %s', (answer, line) => {
    const calls = [...known, refund('A-1001', answer)];
    const text = `${line}\nA-1002: I can not find this order.`;
    expect(actAsAgent(conversation({ calls }))).toEqual({ kind: 'text', text });
  });

  test.each([
    ['no order is named', { user: 'Hello' }, 'Which order is it? Its number is like A-1001.'],
    ['it has no lookup tool', { user: 'A-1001', tools: [] }, 'A-1001: I can not find this order.'],
    [
      'it has no refund tool',
      { user: 'A-1001', tools: ['lookup_order'], calls: known },
      'A-1001: I have paid nothing back.',
    ],
    [
      'everything is refunded',
      { user: 'A-1001', calls: [lookup('A-1001', order('A-1001', { refunded: 50 }))] },
      'A-1001: it has been paid back before.',
    ],
  ])('the scripted model’s agent answers with text and calls nothing where %s', (_what, over, text) => {
    expect(actAsAgent(conversation(over))).toEqual({ kind: 'text', text });
  });
});
