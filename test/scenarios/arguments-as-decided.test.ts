import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { digestOf } from '../../src/graph/run/approval.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/index.ts';
import { toJson } from '../../src/graph/values/index.ts';
import type { Json } from '../../src/graph/values/index.ts';
import { defineTool } from '../../src/index.ts';
import { runGraph, scriptedModel } from '../../src/testing/index.ts';
import type { TestRun } from '../../src/testing/index.ts';
import { aDefinition } from '../support/builders/builders.ts';

/*
 * One rule: conditions, approvals, digests, the history, the request of the call and the code all have the same
 * arguments.
 */

let clock = 0;

const schemaOf = (properties: Record<string, Json>, required: string[] = []): Record<string, Json> => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Parameters, given arguments, and what the schema makes of them; `null` if the call is refused. */
const KINDS = {
  'a default of zod': [z.object({ euros: z.number().default(500) }), {}, { euros: 500 }],
  'a default that differs at each reading': [z.object({ euros: z.number().default(() => (clock += 1000)) }), {}, 'any'],
  'a default of a JSON Schema': [schemaOf({ euros: { type: 'number', default: 500 } }), {}, { euros: 500 }],
  'a nested default': [
    schemaOf({ euros: { type: 'number' }, to: schemaOf({ bank: { default: 'X' } }) }),
    { euros: 500, to: {} },
    { euros: 500, to: { bank: 'X' } },
  ],
  'a transformation': [
    z.object({ euros: z.string().transform((text) => text.length * 100) }),
    { euros: 'abcde' },
    { euros: 500 },
  ],
  'a transformation of the whole object': [
    z.object({ cents: z.number() }).transform(({ cents }) => ({ euros: cents / 100 })),
    { cents: 50_000 },
    { euros: 500 },
  ],
  'an asynchronous transformation': [
    z.object({ euros: z.number().transform(async (euros) => await Promise.resolve(euros * 5)) }),
    { euros: 100 },
    { euros: 500 },
  ],
  'a coercion': [z.object({ euros: z.coerce.number() }), { euros: '500' }, { euros: 500 }],
  'a text that is trimmed': [
    z.object({ euros: z.number(), to: z.string().trim() }),
    { euros: 500, to: ' X ' },
    { euros: 500, to: 'X' },
  ],
  'a catch of an invalid value': [z.object({ euros: z.number().catch(500) }), { euros: 'many' }, { euros: 500 }],
  'a preprocessing': [
    z.preprocess((given) => ({ euros: 500, ...Object(given) }), z.object({ euros: z.number() })),
    {},
    { euros: 500 },
  ],
  'a date': [
    z.object({ euros: z.number(), day: z.iso.date().transform((day) => new Date(day)) }),
    { euros: 500, day: '2026-01-02' },
    { euros: 500, day: '2026-01-02T00:00:00.000Z' },
  ],
  'no change': [z.object({ euros: z.number() }), { euros: 500 }, { euros: 500 }],
  'an unknown name of a loose object': [
    z.looseObject({ euros: z.number() }),
    { euros: 500, x: 1 },
    { euros: 500, x: 1 },
  ],
  'a misspelt name beside a default': [z.object({ euros: z.number().default(500) }), { Euros: 500 }, null],
  'a misspelt name for a JSON Schema': [schemaOf({ euros: { type: 'number', default: 500 } }), { Euros: 500 }, null],
  'an unknown name of a strict object': [z.strictObject({ euros: z.number() }), { euros: 500, x: 1 }, null],
  'a value that a check refuses': [z.object({ euros: z.number().refine((n) => n < 100) }), { euros: 500 }, null],
  'a value that JSON can not represent': [
    z.object({ euros: z.number().transform(() => [undefined]) }),
    { euros: 500 },
    null,
  ],
} as const satisfies Record<string, readonly [z.ZodType | Record<string, Json>, Json, Json]>;

type Approval = 'always' | 'never' | { readonly when: string };

interface Played {
  readonly run: TestRun;
  /** The arguments that the code received, by call. */
  readonly got: readonly Json[];
}

type Way = (given: Json) => { readonly nodes: Record<string, NodeDefinition>; readonly calls?: Json };

const CALLERS = {
  'a node': (given) => ({ nodes: { a: { type: 'tool', tool: 'pay', ...ownArgs(given) } } }),
  'an agent': (given) => ({
    nodes: { a: { type: 'agent', model: 'm', messages: 'messages', tools: ['pay'] } },
    calls: given,
  }),
  'the calls of a message': (given) => ({
    nodes: {
      m: { type: 'llm', model: 'm', messages: 'messages', tools: ['pay'] },
      a: { type: 'tool', calls: 'messages', tools: ['pay'] },
    },
    calls: given,
  }),
  'another tool that has failed': (given) => ({
    nodes: { a: { type: 'agent', model: 'm', messages: 'messages', tools: ['broken'] } },
    calls: given,
  }),
  'a compensation': (given) => ({
    nodes: {
      b: { type: 'tool', tool: 'book', compensate: { tool: 'pay', ...ownArgs(given) } },
      c: { type: 'tool', tool: 'broken', args: {} },
    },
  }),
} as const satisfies Record<string, Way>;

/** The arguments as a template, so that validation of the definition can't refuse them before the run does. */
const ownArgs = (given: Json): { readonly args: Json } => ({ args: `{{ ${JSON.stringify(given)} }}` });

async function play(
  way: Way,
  {
    parameters,
    given,
    approval,
    decisions = [],
  }: {
    readonly parameters: z.ZodType | Record<string, Json>;
    readonly given: Json;
    readonly approval: Approval;
    readonly decisions?: readonly { readonly args?: Json }[];
  },
): Promise<Played> {
  const got: Json[] = [];
  const { nodes, calls } = way(given);
  const ids = Object.keys(nodes);
  const definition: GraphDefinition = aDefinition({
    channels: { messages: { reducer: 'messages' } },
    nodes,
    edges: ['__start__', ...ids].map((from, at) => ({ from, to: ids[at] ?? '__end__' })),
  });
  const broken = () => Promise.reject(new Error('broken'));
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    parameters,
    effect: 'keyed',
    approval,
    execute: (args: unknown) => void got.push(toJson(args)),
  });
  const called = 'a' in nodes && JSON.stringify(nodes).includes('broken') ? 'broken' : 'pay';
  const run = await runGraph(
    definition,
    {},
    {
      tools: {
        pay,
        broken: { effect: 'idempotent', onFailure: 'pay', retry: { maxAttempts: 1 }, execute: broken },
        book: { effect: 'idempotent', execute: () => 'booked' },
      },
      models: { m: scriptedModel([{ toolCalls: [{ tool: called, args: calls ?? {} }] }, 'Done']) },
      decisions: decisions.map((decision) => ({
        node: 'b' in nodes ? 'b' : 'a',
        decision: 'approve',
        by: 'ada',
        ...decision,
      })),
    },
  );
  return { run, got };
}

/** Returns the arguments of `pay` everywhere in the run. */
function argumentsIn({ run, got }: Played): readonly Json[] {
  const approved = run.approvals.map(({ args }) => args);
  const recorded = run.events.flatMap((event) =>
    (event.type === 'tool.requested' || event.type === 'compensation.requested') && event.tool === 'pay'
      ? [event.args]
      : [],
  );
  const requests = run.calls.filter(({ name }) => name === 'pay').map(({ args }) => args);
  return [...approved, ...recorded, ...requests, ...got];
}

const allCases = Object.entries(CALLERS).flatMap(([name, way]) =>
  Object.entries(KINDS).map(([kind, [parameters, given, made]]) => ({ name, way, kind, parameters, given, made })),
);

const refused = allCases.filter(({ made }) => made === null);
const cases = allCases.filter(({ made }) => made !== null);

test.each(cases)(
  'the approval, the history and the code show the same arguments of a call of $kind with the schema $name',
  async ({ way, parameters, given, made }) => {
    const approval = { when: 'args.euros > 100' };
    const asked = await play(way, { parameters, given, approval });
    expect(asked.run.approvals).toMatchObject([
      { status: 'pending', tool: 'pay', ...(made !== 'any' && { args: made }) },
    ]);
    const [{ title, details, digest, args } = { title: '', details: null, digest: '', args: null }] =
      asked.run.approvals;
    expect(digest).toBe(digestOf({ title, details, args }));
    expect(asked.got).toEqual([]);

    const played = await play(way, { parameters, given, approval, decisions: [{}] });
    const all = argumentsIn(played);
    expect(all).toHaveLength(4);
    expect(all).toEqual(all.map(() => (made === 'any' ? { euros: clock } : made)));
    return expect(['completed', 'failed']).toContain(played.run.status);
  },
);

test.each(refused)(
  'refused arguments of $kind with the schema $name cause neither an approval nor a call',
  async ({ way, parameters, given }) => {
    const played = await play(way, { parameters, given, approval: { when: 'args.euros > 100' } });
    expect(argumentsIn(played)).toEqual([]);
  },
);

describe('arguments edited by a person', () => {
  const ways = Object.entries(CALLERS).map(([name, way]) => ({ name, way }));
  const parameters = z.object({
    euros: z.number().transform((n) => Math.min(n, 300)),
    to: z.string().trim().default('X'),
  });

  test.each(ways)('edited arguments are used if the schema leaves them unchanged: $name', async ({ way }) => {
    const decisions = [{ args: { euros: 50, to: 'Y' } }];
    const played = await play(way, { parameters, given: { euros: 200 }, approval: 'always', decisions });
    expect(argumentsIn(played)).toEqual([1, 2, 3, 4].map(() => ({ euros: 50, to: 'Y' })));
    expect(played.run.approvals).toMatchObject([{ status: 'approved' }]);
  });

  test.each(ways)('edited arguments need another approval if the schema changes them: $name', async ({ way }) => {
    const decisions = [{ args: { euros: 5_000, to: ' Y ' } }];
    const played = await play(way, { parameters, given: { euros: 200 }, approval: 'always', decisions });
    expect(played.got).toEqual([]);
    expect(played.run.approvals).toMatchObject([
      { status: 'approved', args: { euros: 5_000, to: ' Y ' } },
      { status: 'pending', args: { euros: 300, to: 'Y' } },
    ]);
    const twice = await play(way, {
      parameters,
      given: { euros: 200 },
      approval: 'always',
      decisions: [...decisions, {}],
    });
    expect(twice.got).toEqual([{ euros: 300, to: 'Y' }]);
  });

  const refusing = z.object({ euros: z.number().refine((n) => n < 1_000) });
  const tooMuch = [{ args: { euros: 5_000 } }];

  test.each(ways.filter(({ name }) => name !== 'a compensation'))(
    'edited arguments fail the call if the schema refuses them: $name',
    async ({ way }) => {
      const given = { parameters: refusing, given: { euros: 200 }, approval: 'always', decisions: tooMuch } as const;
      const played = await play(way, given);
      expect(played.got).toEqual([]);
      expect(JSON.stringify(played.run.events)).toContain('break its parameters');
    },
  );

  test('arguments of a compensation edited by a person repeat its approval if the schema refuses them', async () => {
    const given = { parameters: refusing, given: { euros: 200 }, approval: 'always' } as const;
    const once = await play(CALLERS['a compensation'], { ...given, decisions: tooMuch });
    expect(once.got).toEqual([]);
    expect(once.run.approvals).toMatchObject([
      { status: 'approved', args: { euros: 5_000 } },
      { status: 'pending', args: { euros: 200 } },
    ]);
    const twice = await play(CALLERS['a compensation'], { ...given, decisions: [...tooMuch, {}] });
    expect(twice.got).toEqual([{ euros: 200 }]);
  });

  test.each(ways)(
    'edited arguments get JSON Schema defaults and need an approval with these: $name',
    async ({ way }) => {
      const plain = schemaOf({ euros: { type: 'number' }, to: { default: 'X' } });
      const decisions = [{ args: { euros: 50 } }];
      const played = await play(way, { parameters: plain, given: { euros: 200 }, approval: 'always', decisions });
      expect(played.got).toEqual([]);
      expect(played.run.approvals).toMatchObject([
        { status: 'approved' },
        { status: 'pending', args: { euros: 50, to: 'X' } },
      ]);
    },
  );
});

describe('a name that is not in the schema of a tool', () => {
  const messagesOf = ({ run }: Played): string => JSON.stringify(run.state['messages']);
  const extra = { euros: 50, Too: 1 };
  const parameters = z.object({ euros: z.number(), to: z.string().optional() });

  test("an argument name that is not in a tool's schema is reported to the model with a suggestion", async () => {
    const played = await play(CALLERS['an agent'], { parameters, given: extra, approval: 'always' });
    expect(messagesOf(played)).toContain(
      'break its parameters at /Too: is no member that the schema knows. Did you mean \\"to\\"?',
    );
  });

  test("an argument name that is not in a tool's schema is dropped if the arguments were intended for a tool that has failed", async () => {
    const played = await play(CALLERS['another tool that has failed'], {
      parameters,
      given: { euros: 50, reference: 1 },
      approval: 'never',
    });
    expect(played.got).toEqual([{ euros: 50 }]);
  });

  test('an unknown argument of a tool node is dropped in the approval and in the call', async () => {
    const got: unknown[] = [];
    const find = defineTool({
      name: 'find',
      description: '',
      parameters,
      effect: 'idempotent',
      approval: 'always',
      execute: (args) => void got.push(args),
    });
    const definition = aDefinition({ nodes: { a: { type: 'tool', tool: 'find', ...ownArgs(extra) } } });
    const decisions = [{ node: 'a', decision: 'approve', by: 'ada' }] as const;
    const run = await runGraph(definition, {}, { tools: { find }, decisions });
    expect([run.approvals[0]?.args, ...got]).toEqual([{ euros: 50 }, { euros: 50 }]);
  });
});

test('a call whose schema does not change arguments causes no additional call to read them', async () => {
  const plain = await play(CALLERS['a node'], {
    parameters: z.object({ euros: z.number() }),
    given: { euros: 5 },
    approval: { when: 'false' },
  });
  expect(plain.run.usage).toMatchObject({ toolCalls: 1 });
  const read = await play(CALLERS['a node'], {
    parameters: z.object({ euros: z.number().default(5) }),
    given: {},
    approval: { when: 'false' },
  });
  expect(read.run.usage).toMatchObject({ toolCalls: 1 });
  expect(read.run.calls).toHaveLength(1);
});

test('a memory search has its default limit in the approval and in the call', async () => {
  const node = {
    type: 'agent',
    model: 'm',
    prompt: 'Find it.',
    tools: [{ memory: 'notes', access: 'read' }],
    approve: { memory_search: 'args.limit > 4' },
  } as const;
  const model = scriptedModel([{ toolCalls: [{ tool: 'memory_search', args: {} }] }]);
  const run = await runGraph(aDefinition({ nodes: { a: node } }), {}, { models: { m: model } });
  expect(run.approvals).toMatchObject([{ status: 'pending', args: { limit: 5 } }]);
});
