import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { aToolOf } from '../support/doubles/configured-tool.ts';
import { answer, json, startLoopbackServer } from '../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';
import type { ApiAnswer } from '../support/readers/api-client.ts';
import { eventsOf, hasStatus, postRun } from '../support/readers/api-runs.ts';
import { allOf, etagOf, patchState } from '../support/readers/api-states.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let server: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  server = await startLoopbackServer();
  const retry = { maxAttempts: 2, initialInterval: '30s' };
  stack = await startTestStack({
    tools: [aToolOf(server), aToolOf(server, { name: 'patient', effect: 'idempotent', retry })],
    http: { allow: [server.address] },
  });
});
afterEach(() => server.forget());
afterAll(async () => {
  await stack.stop();
  await server.stop();
});

type Role = 'user' | 'approver' | 'admin';

const SECRET = 'canary-4711';
const HIDDEN = '[redacted]';

/** A graph whose channel `secret` is redacted. */
const secretive = (over: Partial<GraphDefinition>): GraphDefinition =>
  aDefinition({ channels: { secret: { redact: true }, copy: {}, n: {} }, ...over });

async function start(graph: GraphDefinition | string, over: object = {}): Promise<string> {
  const asked = { graph, input: { secret: SECRET }, ...over };
  const { status, body } = await postRun(stack.as('user'), asked);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return textAt(body, '/id');
}

/** All data of a run that a role may read, as one text. */
async function textOf(role: Role, id: string, ...more: readonly string[]): Promise<string> {
  const paths = ['/api/runs?limit=200', `/api/approvals?runId=${id}`, '/api/interventions?limit=200', ...more];
  const others = await Promise.all(paths.map(async (path) => (await stack.as(role).get(path)).body));
  return JSON.stringify([await allOf(stack.as(role), id), others]);
}

const approvalOf = async (role: Role, id: string): Promise<Json> =>
  (await stack.as(role).get(`/api/approvals?runId=${id}`)).body;

const until = async (id: string, ...statuses: string[]): Promise<Json> =>
  await stack.as('user').untilRun(id, hasStatus(...statuses));

describe('a redacted channel', () => {
  test('a redacted channel and all values derived from it are hidden from the user and visible to the admin', async () => {
    const inner = aDefinition({
      name: 'inner',
      channels: { given: {}, made: {} },
      nodes: { say: { type: 'set', write: { made: 'It is {{ state.given }}' } } },
    });
    server.answers(json({ echo: SECRET }));
    const id = await start(
      secretive({
        channels: { secret: { redact: true }, copy: {}, items: { reducer: 'append' }, said: {}, n: {}, log: {} },
        nodes: {
          call: {
            type: 'tool',
            tool: 'work',
            args: { key: 'k', value: '{{ state.secret }}' },
            write: { copy: '{{ result.echo }}' },
          },
          each: { type: 'set', write: { items: '{{ item }}' } },
          inside: {
            type: 'subgraph',
            graph: inner,
            input: { given: '{{ state.copy }}' },
            write: { said: '{{ result.made }}' },
          },
          fine: { type: 'set', write: { n: '{{ size(state.secret) }}', log: 'done' } },
        },
        edges: [
          { from: '__start__', to: 'call' },
          { from: 'call', forEach: '[state.copy]', to: 'each' },
          { from: 'each', to: 'inside' },
          { from: 'inside', to: 'fine' },
        ],
      }),
    );
    expect(await textOf('user', id)).not.toContain(SECRET);
    expect(await textOf('admin', id)).toContain(`It is ${SECRET}`);
    expect(at((await allOf(stack.as('user'), id))['state'] ?? null, '/values')).toEqual({
      secret: HIDDEN,
      copy: HIDDEN,
      items: HIDDEN,
      said: HIDDEN,
      n: SECRET.length,
      log: 'done',
    });
    const [requested] = await eventsOf(stack.as('user'), id, 'tool.requested');
    expect(requested).toMatchObject({ args: { key: 'k', value: HIDDEN } });
    expect(JSON.parse(server.requests[0]?.body ?? 'null')).toEqual({ key: 'k', value: SECRET });
  });

  test('a redacted channel is hidden in the responses of starts, controls and edits', async () => {
    const graph = secretive({ nodes: { ask: { type: 'approval', title: 'Go on?' } } });
    const started = await postRun(stack.as('user'), { graph, input: { secret: SECRET } });
    const id = textAt(started.body, '/id');
    const answers: ApiAnswer[] = [
      started,
      await stack.as('user').post(`/api/runs/${id}/pause`, {}),
      await patchState(stack.as('user'), id, { values: { n: 1 } }),
      await stack.as('user').post(`/api/runs/${id}/resume`, { values: { n: 2 } }),
      await stack.as('user').post(`/api/runs/${id}/cancel`, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 202, 200, 202, 202]);
    expect(JSON.stringify(answers)).not.toContain(SECRET);
    expect(answers.map(({ body }) => at(body, '/input/secret') ?? at(body, '/values/secret'))).toEqual(
      answers.map(() => HIDDEN),
    );
  });

  const telling = { value: '{{ state.secret }}' };

  test('a redacted channel is hidden in errors and retries', async () => {
    server.answers(answer(500, {}, `No ${SECRET}`));
    const graph = secretive({ nodes: { a: { type: 'tool', tool: 'patient', args: telling } } });
    const { body } = await stack.as('user').post('/api/runs', { graph, input: { secret: SECRET } });
    const id = textAt(body, '/id');
    await stack.as('user').untilRun(id, (run) => listAt(run, '/retrying').length > 0);
    const seen = await textOf('user', id);
    expect(seen).toContain(`"lastError":{"code":"TOOL_FAILED","message":"${HIDDEN}"`);
    expect(seen).not.toContain(SECRET);
    expect(await textOf('admin', id)).toContain(`No ${SECRET}`);
    await stack.as('user').post(`/api/runs/${id}/cancel`, {});
  });

  test('a redacted channel is hidden in interventions', async () => {
    server.answers(answer(400, {}, `Never ${SECRET}`));
    const graph = secretive({ nodes: { a: { type: 'tool', tool: 'work', args: telling, onError: 'intervene' } } });
    const id = await start(graph);
    const [seen, known] = await Promise.all([textOf('user', id), textOf('admin', id)]);
    expect(seen).not.toContain(SECRET);
    expect(known).toContain(`Never ${SECRET}`);
    const { body } = await stack.as('user').get(`/api/runs/${id}`);
    expect(at(body, '/waitingFor/0')).toMatchObject({
      args: { value: HIDDEN },
      error: { code: 'TOOL_FAILED', message: HIDDEN, node: 'a' },
    });
  });

  test('a redacted channel is not quoted by the refusal of an input', async () => {
    const channels = { secret: { redact: true, reducer: { expr: '{"a": 1}[update]' } } };
    const graph = secretive({ channels, nodes: { a: { type: 'set' } } });
    const refused = await stack.as('user').post('/api/runs', { graph, input: { secret: SECRET } });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_INPUT'));
    expect(issuePathsOf(refused)).toEqual(['/input/secret']);
    expect(JSON.stringify(refused.body)).not.toContain(SECRET);
  });

  test('a redacted channel is not quoted by the refusal of a control, nor by its event', async () => {
    const graph = secretive({
      nodes: { a: { type: 'set' }, b: { type: 'set' } },
      edges: [
        { from: '__start__', to: 'a' },
        { from: 'a', route: 'state.secret', paths: { x: 'b' } },
      ],
      interruptBefore: ['a'],
    });
    const id = await start(graph);
    const edit = { values: { n: 1 }, asNode: 'a' };
    const refused = await patchState(stack.as('user'), id, edit);
    expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: '/values', message: HIDDEN }] } });
    expect(JSON.stringify((await patchState(stack.as('admin'), id, edit)).body)).toContain(SECRET);
    const ignored = async (role: Role) =>
      (await eventsOf(stack.as(role), id, 'signal.ignored')).map((event) => at(event, '/detail'));
    await expect.poll(() => ignored('admin')).toHaveLength(2);
    expect(await ignored('user')).toEqual([HIDDEN, HIDDEN]);
    expect(await textOf('user', id)).not.toContain(SECRET);
    expect(await textOf('admin', id)).toContain(`gave \\"${SECRET}`);
  });
});

describe('an approval', () => {
  const asking = secretive({
    nodes: {
      ask: {
        type: 'approval',
        title: 'Pay to {{ state.secret }}?',
        details: { to: '{{ state.secret }}', why: 'It is due' },
        args: { to: '{{ state.secret }}', euros: 40 },
        write: { n: '{{ result.decision }}', copy: '{{ result.args }}' },
      },
      pay: { type: 'tool', tool: 'work', args: '{{ state.copy }}' },
    },
  });

  test('an approval with redacted values shows its visible part, and has another digest for callers who see less', async () => {
    const id = await start(asking);
    const [shown, whole] = [await approvalOf('approver', id), await approvalOf('admin', id)];
    expect(at(shown, '/items/0')).toMatchObject({
      title: 'Pay to [redacted]?',
      details: { to: HIDDEN, why: 'It is due' },
      args: { to: HIDDEN, euros: 40 },
    });
    expect(at(whole, '/items/0')).toMatchObject({ title: `Pay to ${SECRET}?`, args: { to: SECRET, euros: 40 } });
    expect(textAt(shown, '/items/0/digest')).not.toBe(textAt(whole, '/items/0/digest'));
    const [asked] = await eventsOf(stack.as('approver'), id, 'approval.requested');
    expect(at(asked ?? null, '/approval/digest')).toBe(textAt(shown, '/items/0/digest'));
  });

  test('an approval with redacted values is decided by the returned digest, and the call uses the real arguments', async () => {
    const id = await start(asking);
    const shown = await approvalOf('approver', id);
    server.answers(json({}));
    const decided = await stack
      .as('approver')
      .post(
        `/api/runs/${id}/approve`,
        { args: { to: HIDDEN, euros: 35 } },
        { 'if-match': `"${textAt(shown, '/items/0/digest')}"` },
      );
    expect(decided).toMatchObject({ status: 200, body: { args: { to: HIDDEN, euros: 35 } } });
    expect(JSON.stringify(decided.body)).not.toContain(SECRET);
    await until(id, 'completed');
    expect(JSON.parse(server.requests[0]?.body ?? 'null')).toEqual({ to: SECRET, euros: 35 });
    expect(await textOf('user', id)).not.toContain(SECRET);
    const { state } = await allOf(stack.as('user'), id);
    expect(at(state ?? null, '/values')).toMatchObject({ n: 'approved', copy: HIDDEN });
  });

  test('an approval with redacted values is not decided by the plain digest of the hidden value, which could be guessed', async () => {
    const id = await start(asking);
    const digest = textAt(await approvalOf('admin', id), '/items/0/digest');
    const path = `/api/runs/${id}/approve`;
    expect(await stack.as('approver').post(path, { digest })).toMatchObject(aProblem(412, 'APPROVAL_CHANGED'));
    server.answers(json({}));
    expect((await stack.as('admin').post(path, { digest })).status).toBe(200);
  });

  test('an approval without redacted values has the same digest for all callers', async () => {
    const id = await start(secretive({ nodes: { ask: { type: 'approval', title: 'Go on?', args: { n: 1 } } } }));
    const [shown, whole] = [await approvalOf('approver', id), await approvalOf('admin', id)];
    expect(shown).toEqual(whole);
  });
});

describe('an edit', () => {
  const graph = secretive({ nodes: { a: { type: 'set', write: { copy: '{{ state.secret }}' } } } });

  test('an edit of a redacted state accepts the ETag of any view, and no other', async () => {
    const id = await start(graph);
    const tags = [await etagOf(stack.as('user'), id), await etagOf(stack.as('admin'), id)] as const;
    expect(tags[0]).not.toBe(tags[1]);
    const changed = await patchState(stack.as('user'), id, { etag: tags[1], values: { n: 1 } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).toBe(await etagOf(stack.as('user'), id));
    expect((await patchState(stack.as('admin'), id, { etag: tags[0], values: { n: 2 } })).status).toBe(412);
  });

  test('an edit of a redacted state does not overwrite hidden values with their placeholders', async () => {
    const id = await start(graph);
    const values = { secret: HIDDEN, copy: HIDDEN, n: 1 };
    const refused = await patchState(stack.as('user'), id, { values });
    expect(refused).toMatchObject(aProblem(422, 'INVALID_VALUES'));
    expect(issuePathsOf(refused)).toEqual(['/values/secret', '/values/copy']);
    expect((await patchState(stack.as('user'), id, { values: { secret: 'other' } })).status).toBe(200);
    const { state } = await allOf(stack.as('admin'), id);
    expect(at(state ?? null, '/values')).toMatchObject({ secret: 'other', copy: SECRET });
  });
});

describe('a run that continues another', () => {
  const open = aDefinition({
    channels: { secret: {}, copy: {}, far: {}, n: {} },
    nodes: { a: { type: 'set', write: { far: 'It was {{ state.copy }}' } } },
  });
  const graph = secretive({ nodes: { a: { type: 'set', write: { copy: '{{ state.secret }}' } } } });

  test('a fork redacts the same values as its parent, also with a graph that redacts nothing', async () => {
    const id = await start(graph);
    const [first] = listAt((await stack.as('user').get(`/api/runs/${id}/checkpoints`)).body, '/items');
    const body = { checkpoint: textAt(first ?? null, '/id'), graph: open, asNode: 'a' };
    const forked = await stack.as('user').post(`/api/runs/${id}/fork`, { ...body, values: { n: 1 } });
    expect(forked.status).toBe(201);
    const fork = textAt(forked.body, '/id');
    await until(fork, 'completed');
    expect(
      await textOf('user', fork, `/api/runs/${fork}/checkpoints?tree=true`, `/api/runs/${id}/diff?with=${fork}`),
    ).not.toContain(SECRET);
    expect(await textOf('admin', fork)).toContain(SECRET);
  });

  test('a fork redacts the input of its parent, also with a graph that has none of its channels', async () => {
    const id = await start(graph);
    const [first] = listAt((await stack.as('user').get(`/api/runs/${id}/checkpoints`)).body, '/items');
    const foreign = aDefinition({ nodes: { a: { type: 'set' } } });
    const body = { checkpoint: textAt(first ?? null, '/id'), graph: foreign, asNode: 'a' };
    const forked = await stack.as('user').post(`/api/runs/${id}/fork`, body);
    const replayed = await stack.as('user').post(`/api/runs/${id}/replay`, { graph: foreign });
    await until(textAt(forked.body, '/id'), 'completed');
    for (const answered of [forked, replayed]) {
      expect(at(answered.body, '/input')).toEqual({ secret: HIDDEN });
      const run = textAt(answered.body, '/id');
      expect(await textOf('user', run)).not.toContain(SECRET);
      expect(at((await stack.as('admin').get(`/api/runs/${run}`)).body, '/input')).toEqual({ secret: SECRET });
    }
  });

  test('a replay redacts the answers that were redacted in its run', async () => {
    const calling = (channel: string): GraphDefinition['nodes'] => ({
      get: { type: 'tool', tool: 'work', args: {}, write: { [channel]: '{{ result.pin }}' } },
    });
    server.answers(json({ pin: SECRET }));
    const id = await start(secretive({ nodes: calling('secret') }), { input: {} });
    const other = aDefinition({ channels: { pub: {} }, nodes: calling('pub') });
    const replayed = await stack.as('user').post(`/api/runs/${id}/replay`, { graph: other });
    expect(at(replayed.body, '/output')).toEqual({ pub: HIDDEN });
    const replay = textAt(replayed.body, '/id');
    expect(await textOf('user', replay)).not.toContain(SECRET);
    expect(at((await stack.as('admin').get(`/api/runs/${replay}`)).body, '/output')).toEqual({ pub: SECRET });
  });

  test('a run on a thread redacts the same values as the run before, also with a graph that redacts nothing', async () => {
    const threadId = 'secretive';
    await start(graph, { threadId });
    const next = await start(open, { threadId, input: { n: 1 } });
    const third = await start(open, { threadId, input: { n: 2 } });
    const paths = ['state', 'checkpoints', 'runs'].map((part) => `/api/threads/${threadId}/${part}`);
    for (const id of [next, third]) expect(await textOf('user', id, ...paths)).not.toContain(SECRET);
    expect(await textOf('admin', third, ...paths)).toContain(`It was ${SECRET}`);
    expect((await allOf(stack.as('user'), third))['state']).toMatchObject({
      values: { secret: HIDDEN, copy: HIDDEN, far: HIDDEN, n: 2 },
    });
  });

  test('a replay redacts the same values as its run, also after they diverge', async () => {
    const id = await start(graph);
    const other = { graph: open, input: { secret: 'x', n: 1 } };
    const replayed = await stack.as('user').post(`/api/runs/${id}/replay`, other);
    expect(replayed.status).toBe(201);
    const replay = textAt(replayed.body, '/id');
    expect(at(replayed.body, '/divergence/expected')).not.toBeNull();
    expect(await textOf('user', replay)).not.toContain(SECRET);
    expect(JSON.stringify((await stack.as('admin').get(`/api/runs/${replay}`)).body)).not.toContain(HIDDEN);
  });
});
