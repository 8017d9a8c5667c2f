import { describe, expect, test } from 'vitest';
import type { Catalog, ToolEntry } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Principal } from '../../src/graph/run/principal.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { asks as requests } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { refusalOf } from '../support/readers/refusal-of.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';
import { decideLast } from '../support/builders/runs.ts';

/** Runs are started by "uma", a user. */
const BEN: Principal = { sub: 'ben', roles: ['guest'] };
const root: Principal = { sub: 'root', roles: ['admin'] };
const by = (principal: Principal): JsonObject => ({ by: { ...principal, roles: [...principal.roles] } });

/** `charge` may be called by runs of users, other tools by all runs. */
function catalogWith(terms: Partial<ToolEntry> = {}): Catalog {
  const charge: ToolEntry = { description: 'Charge', parameters: {}, effect: 'keyed', roles: ['user'], ...terms };
  const { tools, ...rest } = aCatalog();
  return { ...rest, tools: { ...tools, charge } };
}

const channels: NonNullable<GraphDefinition['channels']> = { log: { reducer: 'append' }, key: { default: 'k' } };
const pay: NodeDefinition = { type: 'tool', tool: 'charge', args: { key: '{{ state.key }}' } };
const stop: NodeDefinition = { type: 'set' };

function start(over: Partial<GraphDefinition>, outside: Outside = {}): MemoryRun {
  const definition = aDefinition({ channels, ...over });
  return runInMemory({ definition, catalog: catalogWith(), input: {} }, { tool: () => 'paid', ...outside });
}

const REFUSED = {
  code: 'TOOL_FAILED',
  message: 'charge may be called by runs of user only; ben, who has changed this run, is none',
};

describe('the roles of a tool apply to every person who has changed the run', () => {
  const paused = (): MemoryRun => start({ nodes: { stop, pay }, interruptBefore: ['pay'] });

  test.each<[string, (run: MemoryRun, who: JsonObject) => void]>([
    [
      'an edit',
      (run, who) => {
        run.signal('edit', { values: { key: 'x' }, ...who });
        run.signal('resume', {});
      },
    ],
    ['a resume with values', (run, who) => run.signal('resume', { values: { key: 'x' }, ...who })],
    ['a replan', (run, who) => run.signal('replan', { node: 'pay', ...who })],
    [
      'an edit as a node',
      (run, who) => {
        run.signal('edit', { asNode: 'stop', ...who });
        run.signal('resume', {});
      },
    ],
  ])('the roles of a tool apply to the person who changed the run by %s', (_what, change) => {
    const changed = paused();
    change(changed, by(BEN));
    expect(changed.run).toMatchObject({ status: 'failed', error: REFUSED });
    const allowed = paused();
    change(allowed, by(root));
    expect(allowed.run.status).toBe('completed');
  });

  test('the roles of a tool apply to the person who retried the run', () => {
    let tries = 0;
    const tool = (): Json => {
      if (++tries === 1) throw new CallFailure('TOOL_FAILED', 'busy');
      return 'paid';
    };
    const run = start({ nodes: { pay } }, { tool });
    run.reopen('retry', by(BEN));
    expect([tries, run.run.error]).toMatchObject([1, REFUSED]);
  });

  test('the roles of a tool apply to the person who gave the output of a skipped node', () => {
    const look: NodeDefinition = { type: 'tool', tool: 'lookup', args: { key: 'k' }, onError: 'intervene' };
    const tool: Outside['tool'] = ({ tool: name }) => {
      if (name === 'lookup') throw new CallFailure('TOOL_FAILED', 'broken');
      return 'paid';
    };
    const run = start({ nodes: { look, pay } }, { tool });
    run.signal('skip', { output: 'x', ...by(BEN) });
    expect(run.run.error).toMatchObject(REFUSED);
  });

  test('the roles of a tool apply to the person who decided with edited arguments or with values', () => {
    const ask: NodeDefinition = { type: 'approval', title: 'Pay?', args: { euros: 5 }, policy: { users: ['ben'] } };
    const decided = (content: JsonObject): MemoryRun => {
      const run = start({ nodes: { ask, pay } });
      run.signal('approve', { ...content, ...by(BEN) });
      return run;
    };
    expect(decided({ args: { euros: 9 } }).run.error).toMatchObject(REFUSED);
    expect(decided({ values: {} }).run.error).toMatchObject(REFUSED);
    expect(decided({ reason: 'ok' }).run.status).toBe('completed');
  });

  test('the roles of a tool do not apply to the person who resumed the run without values', () => {
    const run = paused();
    run.signal('resume', by(BEN));
    expect(run.run.status).toBe('completed');
  });

  test('the roles of a tool apply to every editor of the run also after the approval of the call', () => {
    const catalog = catalogWith({ approval: 'always' });
    const run = runInMemory({ definition: aDefinition({ channels, nodes: { pay } }), catalog, input: {} }, {});
    run.signal('edit', { values: { log: 'x' }, ...by(BEN) });
    run.signal('approve', {});
    expect(run.run.error).toMatchObject(REFUSED);
  });

  test('the roles of a tool apply to editors of the run also for calls of a model, which receives the refusal', () => {
    const agent: NodeDefinition = { type: 'agent', prompt: 'Pay', tools: ['charge', 'lookup'], write: 'log' };
    const offered: (readonly string[])[] = [];
    const model: Outside['model'] = ({ tools }) => {
      offered.push(tools);
      return offered.length === 1 ? requests(['charge', { key: 'k' }]) : 'done';
    };
    const run = start({ nodes: { stop, agent }, interruptBefore: ['agent'] }, { model });
    run.signal('resume', { values: { key: 'x' }, ...by(BEN) });
    expect(offered).toEqual([['lookup'], ['lookup']]);
    expect(run.events).not.toContainEqual(expect.objectContaining({ type: 'tool.called' }));
  });

  test('the worker of a tool receives the editors of the run with different roles for its own check', () => {
    const run = start({ nodes: { stop, pay }, interruptBefore: ['pay'] }, { next: () => null });
    run.signal('edit', { values: { key: 'x' }, ...by(root) });
    run.signal('edit', { values: { key: 'y' }, ...by({ sub: 'eva', roles: ['admin'] }) });
    run.signal('edit', { values: { key: 'z' }, ...by({ sub: 'eva', roles: ['user'] }) });
    run.signal('resume', {});
    expect(run.out).toMatchObject([{ shapedBy: [root] }]);
  });

  test('a fork has the person who forks as its starter', () => {
    const run = paused();
    run.signal('edit', { values: { key: 'x' }, ...by(BEN) });
    const fork = run.fork(run.checkpoints.at(-1)?.id ?? '', { by: { sub: 'uma', roles: ['user'] } });
    if ('code' in fork) throw new Error(fork.message);
    fork.signal('resume', {});
    expect(fork.run.status).toBe('completed');
  });
});

describe('a compensation', () => {
  const undone: NodeDefinition = { ...pay, compensate: { tool: 'charge', args: { key: 'back' } } };

  test('a compensation is subject to the roles of the people who had changed the run when the call was made', () => {
    const run = start({ nodes: { undone, ask: { type: 'approval', title: 'Keep?', onReject: 'fail' } } });
    run.signal('edit', { values: { key: 'x' }, ...by(BEN) });
    run.signal('reject', {});
    expect(run.events).toContainEqual(expect.objectContaining({ type: 'node.compensated', node: 'undone' }));
  });
});

describe('an approval that excludes its requester', () => {
  const policy = { roles: ['approver'], excludeRequester: true } as const;
  const ask: NodeDefinition = { type: 'approval', title: 'Pay for {{ state.key }}?', policy };
  const ada: Principal = { sub: 'ada', roles: ['approver'] };
  const abe: Principal = { sub: 'abe', roles: ['approver'] };

  test('an approval that excludes its requester excludes the person who has changed its content', () => {
    const run = start({ nodes: { ask } });
    run.signal('edit', { values: { key: 'x' }, ...by(ada) });
    decideLast(run, 'approve', by(ada));
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_an_approver' });
    decideLast(run, 'approve', by(abe));
    expect(run.run.status).toBe('completed');
  });

  test('an approval that excludes its requester does not exclude a person who changes something else while it is pending', () => {
    const run = start({ nodes: { ask } });
    run.signal('edit', { values: { log: 'x' }, ...by(ada) });
    run.signal('approve', by(ada));
    expect(run.run.status).toBe('completed');
  });

  test('an approval that excludes its requester cannot be bypassed by a person who has changed the run before', () => {
    const run = start({ nodes: { ask, pay } });
    run.signal('edit', { values: { log: 'x' }, ...by(ada) });
    run.signal('replan', { node: 'pay', ...by(ada) });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_an_approver' });
  });
});

describe('the editors of a run', () => {
  test('the editors of a run are 100 at most: more are refused, and known editors may continue', () => {
    const run = start({ nodes: { stop, pay }, interruptBefore: ['pay'] });
    const user = (n: number): JsonObject => by({ sub: `user ${n}`, roles: ['user'] });
    for (let n = 0; n < 101; n += 1) run.signal('edit', { values: { key: `${n}` }, ...user(n) });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_allowed_now' });
    expect([run.run.shapedBy.length, run.run.root.channels['key']]).toEqual([100, '99']);
    run.signal('edit', { values: { key: 'again' }, ...user(0) });
    expect(run.run.root.channels['key']).toBe('again');
    run.signal('cancel', user(101));
    expect(refusalOf(run, 'edit', { values: { key: 'x' }, ...user(102) })).toBe('not_allowed_now');
  });

  test('the editors of a run never include a principal beyond the size limit', () => {
    const run = start({ nodes: { stop, pay }, interruptBefore: ['pay'] });
    run.signal('edit', { values: { key: 'x' }, ...by({ sub: 'x'.repeat(20_000), roles: [] }) });
    expect(run.run.shapedBy).toEqual([]);
  });
});
