import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunView } from '../../../../src/graph/journal/run-view.ts';
import type { UndoneWork } from '../../../../src/graph/run/compensation.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { adds } from '../../../support/builders/runs.ts';
import {
  AT,
  LATER,
  aBatch,
  aCheckpoint,
  aClosedRun,
  aNewRun,
  aView,
  anApproval,
  writeTo,
  aStart,
} from '../../../support/builders/store-builders.ts';
import { at, listAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

const explain = async (id: string, caller: 'user' | 'approver' | 'admin' | 'otherTenantUser' = 'user') =>
  await api.as(caller).get(`/api/runs/${id}/explain`);

/** A run of the tenant that waits for an approval whose title is built from a redacted channel. */
async function addAsking(id: string): Promise<void> {
  const nodes = { ask: { fields: { title: 'Pay [redacted]?' } } };
  await api.store.runs.create(
    aNewRun({
      id,
      tenantId: 'demo',
      limits: { maxSteps: 25 },
      redaction: { ...NOTHING_REDACTED, channels: ['s'], nodes },
    }),
  );
  const approval = {
    ...anApproval(id, 'pending'),
    title: 'Pay 100?',
    policy: { roles: ['approver'] },
    expiresAt: '2099-01-01T00:00:00.000Z',
  };
  const waiting = { kind: 'approval', node: 'ask', id: approval.id, since: AT, deadline: approval.expiresAt } as const;
  const view = aView({ status: 'waiting', waitingFor: [waiting], next: ['ask'] });
  await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1], { view, approvals: [approval] }));
}

describe('the explanation of a run that waits for an approval', () => {
  beforeAll(async () => await addAsking('A'));

  test('the explanation of a run leaves out what is hidden from the reader', async () => {
    const summary = 'Node ask waits until 2099-01-01T00:00:00.000Z for approver to decide: Pay [redacted]?';
    expect(await explain('A')).toMatchObject({
      status: 200,
      body: { runId: 'A', status: 'waiting', since: AT, summary },
    });
    expect(at((await explain('A', 'admin')).body, '/summary')).toMatch(/Pay 100\?$/);
  });

  test('the explanation of a run gives each reader the actions that this reader may take', async () => {
    const allowed = { user: [false, false, false, true, true], approver: [true, true, false, false, false] } as const;
    for (const caller of ['user', 'approver'] as const)
      expect((await explain('A', caller)).body).toMatchObject({
        budget: [{ limit: 'maxSteps', used: 1, left: 24 }],
        actions: allowed[caller].map((is) => ({ allowed: is })),
      });
  });

  test('the explanation of a run does not exist for another tenant', async () => {
    expect(await explain('A', 'otherTenantUser')).toMatchObject({ status: 404, body: { code: 'UNKNOWN_RUN' } });
    expect(await api.as('user').get('/api/runs/A/explain?why=1')).toMatchObject({ status: 422 });
  });
});

test('the explanation of a paused run names the person who paused it last', async () => {
  await api.store.runs.create(aNewRun({ id: 'P', tenantId: 'demo' }));
  const paused = (seq: number, by: string) =>
    ({ seq, at: AT, step: 0, type: 'run.paused', reason: 'the shop is closed', nodes: [], by }) as const;
  const batch = aBatch([1], { view: aView({ status: 'paused' }) });
  const events = [...batch.events, paused(2, 'uma'), paused(3, 'ada')];
  await writeTo(api.store, { id: 'P', tenantId: 'demo' }, { ...batch, events });
  expect((await explain('P')).body).toMatchObject({
    summary: 'The run was paused by ada: the shop is closed.',
    actions: [
      { action: 'resume', command: { holdfast: 'npx holdfast resume P' } },
      { action: 'replan', command: { holdfast: "npx holdfast replan P '…'" } },
      { action: 'cancel', allowed: true },
    ],
  });
});

test('the explanation of a run reports a failing workflow task, without the message if anything is hidden', async () => {
  for (const [id, channels] of [
    ['X', []],
    ['Y', ['s']],
  ] as const) {
    await api.store.runs.create(aNewRun({ id, tenantId: 'demo', redaction: { ...NOTHING_REDACTED, channels } }));
    await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1]));
    await api.store.failingRuns.note(id, { executionRunId: 'e1', by: 'code', reason: 'bad code', proofs: 1 });
  }
  expect(at((await explain('X')).body, '/summary')).toMatch(/workflow task fails.*: bad code\.$/);
  expect(at((await explain('Y')).body, '/summary')).not.toContain('bad code');
});

test('the explanation of a run whose worker is busy with other runs names the busy worker, and does not announce the end of the run', async () => {
  await api.store.runs.create(aNewRun({ id: 'B', tenantId: 'demo' }));
  await writeTo(api.store, { id: 'B', tenantId: 'demo' }, aBatch([1]));
  await api.store.failingRuns.note('B', { executionRunId: 'e1', by: 'queue' });
  expect((await explain('B')).body).toMatchObject({
    summary: expect.stringMatching(/busy with others.*goes on by itself/),
    reasons: [{ kind: 'busy' }],
  });
});

test('a failed run can be retried unless its calls were compensated', async () => {
  const actionsOf = async (id: string, undone: UndoneWork | null) => {
    await api.store.runs.create(aNewRun({ id, tenantId: 'demo' }));
    const { compensation } = aClosedRun(id);
    const endedState = aClosedRun(id, { compensation: { ...compensation, undone } });
    const error = { code: 'DEADLINE_EXCEEDED', message: 'late' } as const;
    const view = aView({ status: 'failed', endedAt: LATER, error, checkpointId: `${id}.c1` });
    const checkpoints = [1, 2, 3].map((n) => aCheckpoint(id, n));
    const last = { ...view, ...(undone && { undone }) };
    await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1, 2, 3], { checkpoints, view: last, endedState }));
    return listAt((await explain(id)).body, '/actions');
  };
  expect(await actionsOf('K', null)).toMatchObject([{ action: 'retry' }, { action: 'replan' }]);
  const fork = { action: 'fork', command: { holdfast: expect.stringContaining('--checkpoint U.c2') } };
  expect(await actionsOf('U', { since: 1, nodes: ['pay'] })).toMatchObject([fork]);
  expect(await actionsOf('V', { since: -1, nodes: ['pay'] })).toEqual([]);
});

test('a failed fork whose parent has compensated calls since is forked from an earlier checkpoint of the parent', async () => {
  const error = { code: 'TOOL_FAILED', message: 'shop is down', node: 'pay' } as const;
  const parentView = aView({ status: 'failed', endedAt: LATER, error, undone: { since: 1, nodes: ['pay'] } });
  await api.store.runs.create(aNewRun({ id: 'PU', tenantId: 'demo' }));
  const checkpoints = [1, 2, 3].map((n) => aCheckpoint('PU', n));
  await writeTo(api.store, { id: 'PU', tenantId: 'demo' }, aBatch([1, 2, 3], { checkpoints, view: parentView }));
  const actionsOf = async (id: string, checkpoint: string) => {
    await api.store.runs.create(aNewRun({ id, tenantId: 'demo', parentRunId: 'PU' }));
    const started = { seq: 1, at: AT, step: 2, type: 'run.started', graph: null, by: 'ann' } as const;
    const batch = aBatch([1], {
      view: aView({ status: 'failed', endedAt: LATER, error, checkpointId: `${id}.c1` }),
      checkpoints: [aCheckpoint(id, 1)],
      endedState: aClosedRun(id),
    });
    const events = [{ ...started, parent: { runId: 'PU', checkpoint } }];
    await writeTo(api.store, { id, tenantId: 'demo' }, { ...batch, events });
    return listAt((await explain(id)).body, '/actions').map((action) => at(action, '/command/holdfast'));
  };
  expect(await actionsOf('FU', 'PU.c3')).toEqual(['npx holdfast fork PU --checkpoint PU.c2']);
  expect(await actionsOf('FS', 'PU.c2')).toContainEqual('npx holdfast retry FS');
});

test('a node that has lost several calls can be skipped but not retried', async () => {
  const error = { code: 'UNKNOWN_OUTCOME', message: 'lost', node: 'pay' } as const;
  const state = { phase: 'failed', failure: { error, callFailed: false }, saved: null } as const;
  const task = { key: 'pay', node: 'pay', visit: 1, index: null, item: null, group: null, state } as const;
  const actionsOf = async (id: string, keys: readonly string[]) => {
    await api.store.runs.create(aNewRun({ id, tenantId: 'demo' }));
    const { root, compensation } = aClosedRun(id);
    const endedState = aClosedRun(id, {
      root: { ...root, at: { kind: 'running', tasks: [{ ...task, retryRound: 0, takeover: 0 }] } },
      compensation: { ...compensation, perhapsMade: keys.map((key) => ({ key, taskPath: ['pay'], called: 'charge' })) },
    });
    const view = aView({ status: 'failed', endedAt: LATER, error, checkpointId: `${id}.c1` });
    const checkpoints = [aCheckpoint(id, 1)];
    await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1], { checkpoints, view, endedState }));
    return listAt((await explain(id)).body, '/actions').map((action) => at(action, '/action'));
  };
  expect(await actionsOf('L1', ['k'])).toEqual(['retry', 'skip', 'replan']);
  expect(await actionsOf('L2', ['k', 'l'])).toEqual(['skip', 'fork', 'replan']);
});

test('if many approvals are pending, the explanation has deciders and commands for the oldest', async () => {
  await api.store.runs.create(aNewRun({ id: 'M', tenantId: 'demo' }));
  const ids = Array.from({ length: 60 }, (_, n) => `M.a${String(n).padStart(2, '0')}`);
  const approvals = ids.map((id) => ({ ...anApproval('M', 'pending'), id, policy: { roles: ['approver'] } }));
  const waitingFor = ids.map((id) => ({ kind: 'approval', node: 'ask', id, since: AT }) as const);
  const view = aView({ status: 'waiting', waitingFor });
  await writeTo(api.store, { id: 'M', tenantId: 'demo' }, aBatch([1], { view, approvals }));
  const { body } = await explain('M', 'approver');
  const texts = listAt(body, '/reasons').map((reason) => at(reason, '/text'));
  expect(texts).toHaveLength(60);
  expect(texts[49]).toMatch(/for approver to decide/);
  expect(texts[50]).toBe('Node ask waits for people to decide its approval.');
  const approving = listAt(body, '/actions').filter((action) => at(action, '/action') === 'approve');
  expect(approving.map((action) => at(action, '/command/holdfast'))).toEqual(
    ids.slice(0, 50).map((id) => `npx holdfast approve ${id}`),
  );
});

describe('the skip of a node with an approval', () => {
  const ask = { type: 'approval', title: 'Go?', policy: { users: ['root'] } } as const;
  const nodes = { ask, sub: { type: 'subgraph', graph: aDefinition({ nodes: { ask } }) }, a: adds('a') } as const;
  const start = aStart({ definition: aDefinition({ nodes }) });
  const error = { code: 'TOOL_FAILED', message: 'no title', attempts: 1 } as const;
  const common = { kind: 'intervention', since: AT, args: null, idempotencyKey: null, error } as const;
  const choices = [{ action: 'skip', effect: 'Goes on.' }] as const;

  /** What the readers may skip. */
  const skips = async (id: string, view: Partial<RunView>, started = start) => {
    await api.store.runs.create(aNewRun({ id, tenantId: 'demo', start: toJson(started) }));
    const endedState = view.status === 'failed' ? aClosedRun(id) : null;
    await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1], { view: aView(view), endedState }));
    const allowedTo = async (caller: 'user' | 'admin') =>
      listAt((await explain(id, caller)).body, '/actions')
        .filter((action) => at(action, '/action') === 'skip')
        .map((action) => at(action, '/allowed'));
    return { user: await allowedTo('user'), admin: await allowedTo('admin') };
  };

  test('a node that waits for an approval may be skipped only by users who may decide it', async () => {
    const ids = ['ask:1', 'sub:1', 'sub.1.0/ask:1', 'a:1'];
    const waitingFor = ids.map((id) => ({ ...common, id, node: 'ask', choices }));
    expect(await skips('S', { status: 'waiting', waitingFor })).toEqual({
      user: [false, false, false, true],
      admin: [true, true, true, true],
    });
  });

  test('if the graph of a run cannot be compiled, skipping a node requires only the permission to control runs', async () => {
    const waitingFor = [{ ...common, id: 'ask:1', node: 'ask', choices }];
    const broken = { ...start, definition: { ...start.definition, nodes: { ask: { ...ask, title: '{{ 1 + }}' } } } };
    expect(await skips('G', { status: 'waiting', waitingFor }, broken)).toEqual({ user: [true], admin: [true] });
  });

  test.each([
    ['ask', false],
    ['sub', false],
    ['a', true],
  ])(
    'a node that has failed its run may be skipped only by users who decide its approvals: %s',
    async (node, isFree) => {
      const view = { status: 'failed', endedAt: LATER, error: { ...error, node } } as const;
      expect(await skips(`F-${node}`, view)).toEqual({ user: [isFree], admin: [true] });
    },
  );
});
