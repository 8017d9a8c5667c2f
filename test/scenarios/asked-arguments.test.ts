import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

/*
 * The schema of an approval's arguments applies to everything that may be approved: the original arguments, those that
 * a person supplies, and those that a timeout approves.
 */

const SCHEMA = {
  type: 'object',
  properties: { euros: { type: 'number', maximum: 100 } },
  required: ['euros'],
  additionalProperties: false,
};
const VALID = { euros: 100 };
const INVALID = { euros: 250 };
const ADA = { sub: 'ada', roles: ['approver'] };

/** The nodes that request an approval, with arguments from the state. */
const ASKERS: Readonly<Record<string, NodeDefinition>> = {
  'an approval node': {
    type: 'approval',
    title: 'Pay?',
    args: '{{ state.given }}',
    argsSchema: SCHEMA,
    onTimeout: 'approve',
    timeout: '1h',
    write: { done: '{{ result.args }}' },
  },
  'a tool node': {
    type: 'tool',
    tool: 'pay',
    args: { euros: '{{ state.given.euros }}' },
    write: { done: '{{ result }}' },
  },
  'an agent': { type: 'agent', prompt: 'Pay', tools: ['pay'], write: { done: '{{ result.text }}' } },
};

/**
 * The error code of each node whose arguments break the schema. An agent continues, because its model gets the error.
 */
const CODES: Readonly<Record<string, string | null>> = {
  'an approval node': 'INVALID_ARGS',
  'a tool node': 'INVALID_TOOL_ARGUMENTS',
  'an agent': null,
};

interface Played {
  readonly run: MemoryRun;
  /** The arguments that the tool received. */
  readonly paid: Json[];
}

function play(node: NodeDefinition | undefined, given: JsonObject): Played {
  const paid: Json[] = [];
  const turns = [{ id: 'c1', name: 'pay', args: given }];
  const definition = aDefinition({ channels: { given: {}, done: {} }, nodes: { ...(node && { ask: node }) } });
  const pay = { description: 'Pays', parameters: SCHEMA, effect: 'idempotent', approval: 'always' } as const;
  const catalog = aCatalog({ tools: { pay } });
  const run = runInMemory(
    { definition, catalog, input: { given } },
    {
      model: () => {
        const toolCalls = turns.splice(0);
        const usage = { inputTokens: 1, outputTokens: 1 };
        const finishReason = toolCalls.length > 0 ? 'tool-calls' : 'stop';
        return { kind: 'model', text: 'said', toolCalls, finishReason, usage };
      },
      tool: ({ args }) => {
        paid.push(args);
        return args;
      },
    },
  );
  return { run, paid };
}

const statusOf = ({ run }: Played): unknown => run.run.approvals['run-1.a1']?.status;
const lastReason = ({ run: { events } }: Played): unknown => {
  const last = events.at(-1);
  return last?.type === 'signal.ignored' ? last.reason : undefined;
};

describe.each(Object.keys(ASKERS))('%s', (asker) => {
  const start = (given: JsonObject) => play(ASKERS[asker], given);

  test('a call with arguments that violate the schema of its tool requests no approval', () => {
    const played = start(INVALID);
    played.run.passTime(8 * 86_400_000);
    played.run.signal('approve', { by: ADA });
    expect([statusOf(played), played.paid]).toEqual([undefined, []]);
    const { error } = played.run.run;
    const { code = null } = error ?? {};
    expect(code).toBe(CODES[asker]);
    expect(error === null || error.message.includes('euros')).toBe(true);
  });

  test('a call that needs an approval is approved with its original arguments', () => {
    const played = start(VALID);
    played.run.signal('approve', { by: ADA });
    expect([statusOf(played), played.run.run.status]).toEqual(['approved', 'completed']);
  });

  test.each([
    ['approve', { euros: 7 }, 'approved'],
    ['approve', INVALID, 'pending'],
    ['approve', {}, 'pending'],
    ['approve', null, 'pending'],
    ['reject', INVALID, 'pending'],
  ])('the decision %s with other arguments %j makes the approval of a call %s', (decision, args, status) => {
    const played = start(VALID);
    played.run.signal(decision, { args, by: ADA });
    expect([statusOf(played), lastReason(played)]).toEqual([status, status === 'pending' ? 'invalid_args' : undefined]);
    expect(played.paid).toEqual(status === 'approved' && asker !== 'an approval node' ? [args] : []);
  });

  test("the timeout of a call's approval approves only the original arguments", () => {
    const played = start(VALID);
    played.run.passTime(8 * 86_400_000);
    expect(statusOf(played)).toBe(asker === 'an approval node' ? 'approved' : 'expired');
    expect(played.paid).toEqual([]);
  });
});

test('an approval that is approved by its timeout has the original arguments', () => {
  const { run } = play(ASKERS['an approval node'], VALID);
  run.signal('reject', { args: INVALID, by: ADA });
  run.passTime(8 * 86_400_000);
  expect(run.run.root.channels['done']).toEqual(VALID);
});

test('an approval that is renewed with arguments that violate the schema fails its node, and onError handles the error', () => {
  const node = ASKERS['an approval node'];
  const { run } = play(node, VALID);
  run.signal('edit', { values: { given: INVALID }, by: ADA });
  expect(run.run).toMatchObject({ status: 'failed', error: { code: 'INVALID_ARGS', node: 'ask' } });
  expect(run.run.approvals).toMatchObject({ 'run-1.a1': { status: 'canceled' } });
});
