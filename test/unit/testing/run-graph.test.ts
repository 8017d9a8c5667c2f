import type { FakeContext } from '../../../src/testing/fake-code.ts';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { END, START, StateGraph, defineConfig, defineTool } from '../../../src/index.ts';
import { after, runGraph, scriptedModel } from '../../../src/testing/index.ts';
import type { Message } from '../../../src/graph/definition/index.ts';

const payment = new StateGraph({ name: 'payment', channels: { paid: {} } })
  .addNode('pay', { type: 'tool', tool: 'pay', args: { euros: 5 }, write: { paid: '{{ result }}' } })
  .addSequence([START, 'pay', END]);

/** A graph whose node takes what a payment that fails has to say. */
const careful = new StateGraph({ name: 'careful', channels: { paid: {}, trouble: {} } })
  .addNode('pay', {
    type: 'tool',
    tool: 'pay',
    args: { euros: '{{ 5 }}' },
    onError: { to: 'note', write: { trouble: '{{ error.code }}' } },
  })
  .addNode('note', { type: 'set', write: {} })
  .addSequence([START, 'pay', END])
  .addEdge('note', END);

describe('a call in a test run', () => {
  test('a failed call in a test run is retried by its policy, and the clock skips the delays', async () => {
    const at: string[] = [];
    const execute = (_: unknown, { now }: { now: Date }) => {
      at.push(now.toISOString().slice(17, 23));
      if (at.length < 3) throw new Error('busy');
      return 'paid';
    };
    const run = await runGraph(payment, {}, { tools: { pay: { effect: 'keyed', execute } } });
    expect(run).toMatchObject({ status: 'completed', state: { paid: 'paid' }, durationMs: 3_000 });
    expect(at).toEqual(['00.000', '01.000', '03.000']);
    expect(run.calls).toMatchObject([{ kind: 'tool', name: 'pay', node: 'pay', attempts: 3, result: 'paid' }]);
  });

  test('a test run keeps the progress that a call has reported', async () => {
    const execute = (_: unknown, { progress }: Pick<FakeContext, 'progress'>) => {
      for (const done of [1, 2]) progress({ done });
      return 'paid';
    };
    const run = await runGraph(payment, {}, { tools: { pay: { effect: 'keyed', execute } } });
    expect(run.calls.map(({ progress }) => progress)).toEqual([[{ done: 1 }, { done: 2 }]]);
    expect((await runGraph(payment, {}, { tools: { pay: () => 'paid' } })).calls[0]?.progress).toBeUndefined();
  });

  test('a call in a test run that takes too long ends at its time limit', async () => {
    const pay = { effect: 'keyed', timeout: '10s', retry: { maxAttempts: 1 }, execute: () => after('11s', 1) } as const;
    const run = await runGraph(careful, {}, { tools: { pay } });
    expect(run).toMatchObject({ state: { trouble: 'TIMEOUT' }, path: ['pay', 'note'], durationMs: 10_000 });
  });

  test('a call in a test run whose tool states no effect is not retried', async () => {
    const tools = { pay: () => Promise.reject(new Error('lost')) };
    const run = await runGraph(payment, {}, { tools });
    expect(run).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'intervention', node: 'pay', error: { code: 'UNKNOWN_OUTCOME' } }],
    });
  });

  test('an agent in a test run hands over to another one', async () => {
    const agent = { type: 'agent', messages: 'chat' } as const;
    const desk = new StateGraph({ name: 'desk', channels: { chat: { reducer: 'messages' }, note: {}, answer: {} } })
      .addNode('front', { ...agent, handoff: ['billing'], write: { note: '{{ result.handoff.note }}' } })
      .addNode('billing', { ...agent, write: { answer: '{{ result.text }}' } })
      .addSequence([START, 'front', END]);
    const handsOver = { toolCalls: [{ tool: 'handoff_to_billing', args: { note: 'two orders' } }] };
    const models = { default: scriptedModel([handsOver, 'Paid']) };
    const run = await runGraph(desk, { chat: [{ role: 'user', content: 'Hi' }] }, { models });
    expect(run).toMatchObject({ path: ['front', 'billing'], state: { note: 'two orders', answer: 'Paid' } });
  });

  test('a test run that fails runs its onFail node after its compensations', async () => {
    const trip = new StateGraph({
      name: 'trip',
      channels: { told: {} },
      onFail: { to: 'tell', write: { told: '{{ error.code }}' } },
    })
      .addNode('book', { type: 'tool', tool: 'book', compensate: { tool: 'cancel' } })
      .addNode('pay', { type: 'tool', tool: 'pay' })
      .addNode('tell', { type: 'tool', tool: 'tell', args: { why: '{{ state.told }}' } })
      .addSequence([START, 'book', 'pay', END]);
    const done = { effect: 'idempotent', execute: () => 'done' } as const;
    const pay = {
      effect: 'idempotent',
      retry: { maxAttempts: 1 },
      execute: () => Promise.reject(new Error('no')),
    } as const;
    const run = await runGraph(trip, {}, { tools: { book: done, cancel: done, tell: done, pay } });
    expect(run).toMatchObject({ status: 'failed', error: { node: 'pay' }, path: ['book', 'pay', 'tell'] });
    expect(run.calls.map(({ name }) => name)).toEqual(['book', 'pay', 'cancel', 'tell']);
    expect(run.calls.at(-1)).toMatchObject({ args: { why: 'TOOL_FAILED' } });
  });

  test('a call in a test run may fail after a delay', async () => {
    const tools = { pay: { effect: 'idempotent', execute: () => after('2s', new Error('late')) } } as const;
    const config = defineConfig({ defaults: { retry: { maxAttempts: 1 } } });
    const run = await runGraph(careful, {}, { config, tools });
    expect(run).toMatchObject({ state: { trouble: 'TOOL_FAILED' }, durationMs: 2_000 });
  });

  test('the arguments of a call in a test run are checked against the schema of its tool', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({ euros: z.number().max(4) }),
      execute: () => expect.unreachable(),
    });
    const run = await runGraph(careful, {}, { tools: { pay } });
    expect(run.state.trouble).toBe('INVALID_TOOL_ARGUMENTS');
  });

  test('a defineTool tool in a test run executes its code, with the schema applied and a secret of the test', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({ euros: z.number(), currency: z.string().default('EUR') }),
      secrets: ['BANK'],
      execute: ({ euros, currency }, { secret }) => `${euros} ${currency} by ${secret('BANK')}`,
    });
    expect((await runGraph(payment, {}, { tools: { pay } })).state.paid).toBe('5 EUR by test-BANK');
    const secrets = { BANK: 'b-1' };
    expect((await runGraph(payment, {}, { tools: { pay }, secrets })).state.paid).toBe('5 EUR by b-1');
  });

  describe('a faked tool in a test run', () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({ euros: z.number(), currency: z.string().default('EUR') }),
      approval: 'always',
      secrets: ['BANK'],
      execute: () => expect.unreachable(),
    });
    const refund = {
      name: 'pay',
      description: 'Pays',
      method: 'POST',
      url: 'https://bank.example/{{ args.euros }}',
      parameters: { type: 'object', properties: { euros: { type: 'number' } } },
      approval: 'always',
      headers: { authorization: { secret: 'BANK' } },
    } as const;
    const execute = ({ euros }: { euros: number }) => euros;
    const decisions = [{ node: 'pay', tool: 'pay', decision: 'approve' }] as const;

    test.each([
      { what: 'code, a function', tool: pay, fake: execute },
      { what: 'code, an object', tool: pay, fake: { execute } },
      { what: 'a request, a function', tool: refund, fake: execute },
      { what: 'a request, an object', tool: refund, fake: { execute } },
    ])(
      'a faked tool in a test run has the settings of the configured tool and the code of the fake: $what',
      async ({ tool, fake }) => {
        const given = { config: defineConfig({ tools: [tool] }), tools: { pay: fake } };
        expect((await runGraph(payment, {}, given)).waitingFor).toMatchObject([{ kind: 'approval', node: 'pay' }]);
        expect((await runGraph(payment, {}, { ...given, decisions })).state.paid).toBe(5);
      },
    );

    test('a faked tool in a test run has the schema of the configured tool, which converts the arguments', async () => {
      const fake = { execute: ({ currency }: { currency: string }) => currency };
      const given = { config: defineConfig({ tools: [pay] }), tools: { pay: fake }, decisions };
      expect((await runGraph(payment, {}, given)).state.paid).toBe('EUR');
    });

    test('a faked tool in a test run has the settings of the fake instead of those of the configuration', async () => {
      const parameters = { type: 'object', properties: { euros: { type: 'number', maximum: 4 } } } as const;
      const fake = { approval: 'never', parameters, execute } as const;
      const given = { config: defineConfig({ tools: [pay] }), tools: { pay: fake } };
      expect((await runGraph(careful, {}, given)).state.trouble).toBe('INVALID_TOOL_ARGUMENTS');
    });
  });
});

describe('an answer that a test lacks', () => {
  test('a missing fake of a tool in a test run is reported with the tool, its node, and the existing fakes', async () => {
    const run = runGraph(careful, {}, { tools: { pays: () => 1, lookup: () => 1 } });
    await expect(run).rejects.toThrow(
      'The node "pay" calls the tool "pay", and the test has no fake for it. Did you mean "pays"? It has pays, lookup.',
    );
    await expect(run).rejects.toMatchObject({ name: 'MissingAnswerError' });
  });

  test('a missing answer of a scripted model ends the test run even if the graph handles failures', async () => {
    const graph = new StateGraph({ name: 'g', channels: { said: {} } })
      .addNode('ask', { type: 'llm', prompt: 'Hello', onError: { to: 'end' } })
      .addNode('end', { type: 'set', write: {} })
      .addSequence([START, 'ask', END]);
    const run = runGraph(graph, {}, { models: { default: scriptedModel([]) } });
    await expect(run).rejects.toThrow('The model "default" is asked for answer 1, and its script has 0');
    await expect(run).rejects.toThrow('user: "Hello"');
  });

  test('a fake is not required when the test run does not call it', async () => {
    const graph = new StateGraph({ name: 'g' })
      .addNode('pay', { type: 'tool', tool: 'pay', args: {} })
      .addNode('rest', { type: 'set', write: {} })
      .addBranches(START, [{ when: 'false', to: 'pay' }, { to: 'rest' }]);
    expect(await runGraph(graph, {})).toMatchObject({ status: 'completed', path: ['rest'], calls: [] });
  });
});

describe('a tool of the configuration', () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    parameters: z.object({ euros: z.number() }),
    effect: 'idempotent',
    execute: ({ euros }) => euros,
  });

  test('a test run without a fake for it says what to add', async () => {
    await expect(runGraph(payment, {}, { config: defineConfig({ tools: [pay] }) })).rejects.toThrow(
      'It has no tool. The configuration gives only the schema and the settings of a tool: add it to "tools", with its own code or a fake.',
    );
  });

  test('a test run runs its own code if it is among the tools', async () => {
    const run = await runGraph(payment, {}, { config: defineConfig({ tools: [pay] }), tools: { pay } });
    expect(run.state.paid).toBe(5);
  });

  test.each(['tools', 'models', 'functions', 'nodeTypes'])(
    'a list as %s is refused, and what is expected is named',
    async (option) => {
      const options: object = { [option]: [pay] };
      await expect(runGraph(payment, {}, options)).rejects.toThrow(
        `"${option}" takes an object with the names that the graph uses, such as { name: … }, not a list`,
      );
    },
  );
});

describe('an answer that a test run does not use', () => {
  test('assertExhausted lists the answers that a test run does not use', async () => {
    const models = { default: scriptedModel(['one', 'two']) };
    const decisions = [{ node: 'ask', decision: 'approve' }] as const;
    const events = [{ name: 'paid', after: '1h' }];
    const run = await runGraph(payment, {}, { tools: { pay: () => 1 }, models, decisions, events });
    expect(() => run.assertExhausted()).toThrow(
      'The run did not take:\n- the decision "approve" at "ask"\n- the event "paid" after 1h\n- 2 answers of the model "default"',
    );
    expect(() => models.default.assertExhausted()).toThrow('2 of 2 answers were not asked for:\n- "one"\n- "two"');
  });
});

test('a test run of a graph with errors is refused', async () => {
  const graph = new StateGraph({ name: 'g' }).addNode('a', { type: 'set', write: {} });
  await expect(runGraph(graph, {})).rejects.toMatchObject({ code: 'INVALID_GRAPH' });
});

test('the input of a test run is checked like the input of an API request', async () => {
  const graph = {
    name: 'g',
    channels: { n: { schema: { type: 'number' } }, m: {} },
    required: ['m'],
    nodes: {},
    edges: [],
  };
  const whole = { ...graph, nodes: { a: { type: 'set', write: {} } }, edges: [{ from: START, to: 'a' }] } as const;
  await expect(runGraph(whole, { n: 'x' })).rejects.toThrow(/\/m: it is required\n\/n: /);
});

describe('a completed test run', () => {
  const asks = new StateGraph({ name: 'asks', channels: { paid: {} } })
    .addNode('ask', { type: 'approval', title: 'Pay?', onReject: 'fail' })
    .addSequence([START, 'ask', END]);

  test('assertCompleted gives an output that is not null', async () => {
    const { output } = (await runGraph(payment, {}, { tools: { pay: () => 'R-1' } })).assertCompleted();
    expectTypeOf(output).not.toBeNullable();
    expect(output.paid).toBe('R-1');
  });

  test.each([
    { decisions: [], message: 'The run is waiting; ask waits for an approval' },
    {
      decisions: [{ node: 'ask', decision: 'reject' }] as const,
      message: 'The run is failed at ask: APPROVAL_REJECTED "Pay?" was rejected',
    },
  ])('assertCompleted throws the reason of a run that has not completed: $message', async ({ decisions, message }) => {
    const run = await runGraph(asks, {}, { decisions });
    expect(() => run.assertCompleted()).toThrow(message);
  });

  test('the error of a test run names the failed node of a subgraph with the nodes around it', async () => {
    const judge = { type: 'tool', tool: 'pay', args: {} } as const;
    const inner = { name: 'inner', channels: {}, nodes: { judge }, edges: [{ from: START, to: 'judge' }] };
    const outer = {
      name: 'outer',
      channels: {},
      nodes: { one: { type: 'subgraph', graph: inner } },
      edges: [{ from: START, to: 'one' }],
    } as const;
    const pay = {
      effect: 'idempotent',
      retry: { maxAttempts: 1 },
      execute: () => Promise.reject(new Error('no')),
    } as const;
    const run = await runGraph(outer, {}, { tools: { pay } });
    expect(run.error).toMatchObject({ code: 'TOOL_FAILED', node: 'one/judge' });
  });
});

describe('a model in a test run', () => {
  const asking = new StateGraph({ name: 'asking', channels: { said: {} } })
    .addNode('ask', {
      type: 'agent',
      prompt: 'Pay',
      tools: ['pay'],
      write: { said: '{{ result.text }}' },
    })
    .addSequence([START, 'ask', END]);
  const pay = { effect: 'idempotent', execute: () => 'paid' } as const;
  const wants = { toolCalls: [{ tool: 'pay', args: {} }] };

  test('a function gives the answers in the form of a scripted model', async () => {
    const model = ({ messages }: { messages: readonly Message[] }) =>
      messages.some(({ role }) => role === 'tool') ? { json: { done: true } } : wants;
    const run = await runGraph(asking, {}, { models: { default: model }, tools: { pay } });
    expect(run.assertCompleted().output.said).toBe('{"done":true}');
  });

  test('a function may give a text, a failure and a late answer', async () => {
    const answers = [{ error: 'overloaded' }, after('3s', wants), 'Done'];
    const run = await runGraph(asking, {}, { models: { default: () => answers.shift() ?? '' }, tools: { pay } });
    expect(run).toMatchObject({ status: 'completed', state: { said: 'Done' }, durationMs: 4_000 });
  });

  test('a tool call in the form of a provider ends the test', async () => {
    const model = scriptedModel([JSON.parse('{ "toolCalls": [{ "name": "pay", "args": {} }] }')]);
    await expect(runGraph(asking, {}, { models: { default: model }, tools: { pay } })).rejects.toThrow(
      "A tool call of a model's answer is { tool, args }, not",
    );
  });
});

test('a wrong option is a compile error at the option', async () => {
  // @ts-expect-error: a number is no answer of a model
  await expect(runGraph(payment, {}, { models: { default: () => 7 }, tools: { pay: () => 1 } })).resolves.toBeDefined();
});

test('the input and the state of a test run have the TypeScript types of the channels', async () => {
  const graph = new StateGraph({
    name: 'typed',
    channels: {
      count: { reducer: 'sum', schema: { type: 'number' } },
      name: { schema: { type: 'string' } },
      notes: { reducer: 'append', schema: { type: 'array', items: { type: 'string' } } },
      talk: { reducer: 'messages' },
      any: {},
    },
  })
    .addNode('a', { type: 'set', write: {} })
    .addSequence([START, 'a', END]);
  // @ts-expect-error: a number is no name
  await expect(runGraph(graph, { name: 7 })).rejects.toThrow('/name');
  const { state, output } = await runGraph(graph, { name: 'n', notes: ['x'], count: 2 });
  expectTypeOf(state.name).toEqualTypeOf<string | null>();
  expectTypeOf(state.count).toEqualTypeOf<number>();
  expectTypeOf(state.notes).toEqualTypeOf<readonly string[]>();
  expectTypeOf(state.talk).toEqualTypeOf<readonly Message[]>();
  expectTypeOf(output?.name).toEqualTypeOf<string | null | undefined>();
  expect(state).toEqual({ count: 2, name: 'n', notes: ['x'], talk: [], any: null });
});
