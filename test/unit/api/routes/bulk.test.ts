import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../../../src/api/temporal/engine.ts';
import type { SignalResult } from '../../../../src/graph/run/index.ts';
import type { JsonObject } from '../../../../src/graph/values/index.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { aBatch, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { anAbsentEngine } from '../../../support/doubles/absent-engine.ts';
import { PATIENTLY, readAll } from '../../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/** The answer of a run to a control or decision. */
type Reply = (id: string, subject: string) => Promise<SignalResult>;

const takes: Reply = async (id, subject) => ({ id, taken: true, value: { id: subject, decisions: [] } });
const refuses: Reply = async (id) => ({ id, taken: false, refusal: { code: 'NOT_ALLOWED_NOW', message: 'no' } });
const breaks: Reply = async () => await Promise.reject(new TypeError('A bug'));

const replies = new Map<string, Reply>();
/** The runs that were signaled, in order. */
const asked: string[] = [];
/** The reasons in these signals. */
const reasons: unknown[] = [];
/** The results of runs by signal id. */
const results = new Map<string, SignalResult>();
let api: TestApi;
let ids: readonly string[];
const first = (): string => ids[0] ?? '';
const second = (): string => ids[1] ?? '';
const third = (): string => ids[2] ?? '';

beforeAll(async () => {
  const signalAndAsk = async (
    run: { readonly id: string },
    _name: string,
    { signalId, approvalId, reason }: JsonObject & { readonly signalId: string },
  ) => {
    const subject = typeof approvalId === 'string' ? approvalId : run.id;
    asked.push(run.id);
    reasons.push(reason);
    const result = await (replies.get(run.id) ?? takes)(signalId, subject);
    results.set(`${run.id} ${signalId}`, result);
    return result;
  };
  const signalResult: Engine['signalResult'] = async ({ id }, signalId) => results.get(`${id} ${signalId}`) ?? null;
  api = await startTestApi(
    {},
    { engine: anAbsentEngine({ start: async () => undefined, signalAndAsk, signalResult }) },
  );
  await api.as('user').post('/api/graphs', aDefinition({ name: 'mine' }));
});
afterAll(async () => await api.stop());

/** Starts waiting runs. @returns their ids, oldest first */
async function startWaiting(test: string, count: number): Promise<readonly string[]> {
  const started: string[] = [];
  while (started.length < count) {
    const { body } = await api.as('user').post('/api/runs', { graph: 'mine', metadata: { test } });
    const id = textAt(body, '/id');
    const approvals = [{ ...anApproval(id, 'pending'), id: `${id}.a` }];
    await writeTo(api.store, { id, tenantId: 'demo' }, aBatch([1], { approvals, view: aView({ status: 'waiting' }) }));
    started.push(id);
  }
  return started;
}

/** The audited acts on the runs, by subject. */
async function acts(): Promise<JsonObject> {
  const entries = await Promise.all(ids.map(async (id) => await readAll(api.as('admin'), `/admin/audit?runId=${id}`)));
  return Object.fromEntries(entries.flat().map((entry) => [textAt(entry, '/subject'), textAt(entry, '/action')]));
}

/** Makes the store fail when it reads the run. */
function failToFind(failing: string, error: Error): void {
  const find = api.store.runs.find.bind(api.store.runs);
  vi.spyOn(api.store.runs, 'find').mockImplementation(async (id) => {
    if (id === failing) throw error;
    return await find(id);
  });
}

const pause = async () => await api.as('user').post('/api/runs/bulk', { action: 'pause', ids });
const pausedAll = () => Object.fromEntries(ids.map((id) => [id, 'run.pause']));
const detail = expect.any(String);

beforeEach(async ({ task }) => {
  replies.clear();
  asked.length = 0;
  reasons.length = 0;
  ids = await startWaiting(task.id, 3);
});
afterEach(() => vi.restoreAllMocks());

describe('a control of many runs', () => {
  test('the reason of a bulk control is sent to each run, and a run that does not accept the control refuses it', async () => {
    const post = async (action: string) =>
      await api.as('user').post('/api/runs/bulk', { action, ids, reason: 'asked for twice' });
    expect([(await post('cancel')).status, reasons]).toEqual([200, ids.map(() => 'asked for twice')]);
    const refused = await post('retry');
    expect([refused.status, issuePathsOf(refused)]).toEqual([422, ['/reason']]);
  });

  test('the preview of a bulk control describes each of its runs', async () => {
    const { body } = await api.as('user').post('/api/runs/bulk', { action: 'pause', ids: [first()], dryRun: true });
    expect(at(body, '/runs')).toEqual([{ id: first(), graph: 'mine', status: 'waiting' }]);
    expect(at((await pause()).body, '/runs')).toBeUndefined();
  });

  test.each([
    ['UNAVAILABLE', new DatabaseAwayError('gone')],
    ['INTERNAL', new TypeError('A bug')],
  ])('a run of a bulk control that fails with %s before it is signaled fails alone', async (code, error) => {
    failToFind(second(), error);
    const { status, body } = await pause();
    expect([status, body]).toEqual([
      200,
      { done: [first(), third()], failed: [{ id: second(), code, detail }], hasMore: false, nextCursor: null },
    ]);
    expect(await acts()).toEqual({ [first()]: 'run.pause', [third()]: 'run.pause' });
  });

  test('a run of a bulk control that fails while it is signaled is reported as possibly changed', async () => {
    replies.set(second(), breaks);
    const { status, body } = await pause();
    expect([status, at(body, '/done'), at(body, '/failed')]).toEqual([
      200,
      [first(), third()],
      [{ id: second(), code: 'UNAVAILABLE', detail, mayTakeEffect: true }],
    ]);
    expect(await acts()).toEqual(pausedAll());
  });

  test('repeating a bulk control with its idempotency key determines the result of a run that was possibly changed', async () => {
    replies.set(second(), breaks);
    const headers = { 'idempotency-key': `pause ${first()}` };
    const send = async () => await api.as('user').post('/api/runs/bulk', { action: 'pause', ids }, headers);
    expect(at((await send()).body, '/failed')).toHaveLength(1);
    replies.clear();
    expect((await send()).body).toMatchObject({ done: ids, failed: [] });
    expect(asked.filter((id) => id !== second())).toEqual([first(), third()]);
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
  });

  test('each run of a bulk control is audited before the last one is done', async () => {
    let recorded = {};
    replies.set(third(), async (...asked) => {
      await vi.waitUntil(async () => Object.keys((recorded = await acts())).length === 2, PATIENTLY);
      return await takes(...asked);
    });
    expect((await pause()).status).toBe(200);
    expect(recorded).toEqual({ [first()]: 'run.pause', [second()]: 'run.pause' });
    expect(await acts()).toEqual(pausedAll());
  });

  test('all runs of a bulk control are controlled and audited if the process dies and the idempotency key is sent again', async () => {
    const send = async () =>
      await api.as('user').post('/api/runs/bulk', { action: 'pause', ids }, { 'idempotency-key': first() });
    const record = vi.spyOn(api.store.audit, 'add').mockRejectedValue(new Error('The process is dead'));
    vi.spyOn(api.store.idempotency, 'keep').mockImplementationOnce(
      async (request) => await api.store.idempotency.lease(request, '2026-01-01T00:00:00Z'),
    );
    await send();
    record.mockRestore();
    const [again, replayed] = [await send(), await send()];
    expect(at(again.body, '/done')).toEqual(ids);
    expect([asked.toSorted(), await acts()]).toEqual([ids, pausedAll()]);
    expect([replayed.body, replayed.headers.get('idempotent-replayed')]).toEqual([again.body, 'true']);
  });

  test('runs of a bulk control that were only previewed are not audited', async () => {
    const { body } = await api.as('user').post('/api/runs/bulk', { action: 'pause', ids, dryRun: true });
    expect([at(body, '/done'), await acts()]).toEqual([ids, {}]);
  });
});

describe('many decisions in one request', () => {
  const approve = async () =>
    await api.as('approver').post('/api/approvals/decisions', {
      decisions: ids.map((id) => ({ approvalId: `${id}.a`, decision: 'approve' })),
    });
  const approved = (...of: readonly string[]) => Object.fromEntries(of.map((id) => [`${id}.a`, 'approval.approve']));

  test('a decision of a bulk request that fails before it is sent fails alone', async () => {
    failToFind(second(), new DatabaseAwayError('gone'));
    const { status, body } = await approve();
    expect([status, at(body, '/results')]).toMatchObject([
      200,
      [{ approval: {} }, { problem: { status: 503, code: 'UNAVAILABLE' } }, { approval: {} }],
    ]);
    expect(at(body, '/results/1/problem')).not.toHaveProperty('mayTakeEffect');
    expect(await acts()).toEqual(approved(first(), third()));
  });

  test('a decision of a bulk request that fails while it is sent is reported as possibly effective', async () => {
    replies.set(second(), breaks);
    const { body } = await approve();
    expect(at(body, '/results/1/problem')).toEqual({ status: 503, code: 'UNAVAILABLE', detail, mayTakeEffect: true });
    expect(await acts()).toEqual(approved(...ids));
  });
});

describe('a filter of a bulk control', () => {
  /** Pauses the runs that a filter finds; all of them refuse. */
  async function pauseFound(filter: JsonObject, more: JsonObject = {}) {
    vi.spyOn(replies, 'get').mockReturnValue(refuses);
    return await api.as('user').post('/api/runs/bulk', { action: 'pause', filter, ...more });
  }

  test('the cursor of a bulk control’s filter finds all its runs, even if earlier ones have refused', async ({
    task,
  }) => {
    const filter = { metadata: { test: task.id } };
    await copyRun(first(), 1_010 - ids.length);
    const run = await api.store.runs.find(first());
    vi.spyOn(api.store.runs, 'find').mockImplementation(async (id) => run && { ...run, id });
    const { body: page } = await pauseFound(filter);
    const cursor = textAt(page, '/nextCursor');
    const { body: last } = await pauseFound(filter, { cursor });
    expect([page, last].map((one) => [listAt(one, '/failed').length, at(one, '/hasMore')])).toEqual([
      [1_000, true],
      [10, false],
    ]);
    const refusing = [page, last].flatMap((one) => listAt(one, '/failed').map((run) => textAt(run, '/id')));
    expect([new Set(refusing).size, at(last, '/nextCursor')]).toEqual([1_010, null]);
    expect(await pauseFound({ ...filter, status: ['waiting'] }, { cursor })).toMatchObject(
      aProblem(400, 'INVALID_CURSOR'),
    );
    expect(await pauseFound(filter, { cursor, action: 'cancel' })).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
  });

  test('a bulk control with a filter may have a cursor, and one with a list of ids may not', async () => {
    const answer = await api.as('user').post('/api/runs/bulk', { action: 'pause', ids, cursor: 'c' });
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual(['/cursor']);
  });
});

/** Creates copies of a run, each a second older. */
async function copyRun(id: string, count: number): Promise<void> {
  const { rows } = await api.store.database.query<{ readonly name: string }>(
    `select column_name as name from information_schema.columns where table_name = 'runs' and is_generated = 'NEVER'`,
  );
  const names = rows.map(({ name }) => `"${name}"`);
  const values = names.map(
    (name) => ({ '"id"': `id || '-' || n`, '"created_at"': `created_at - make_interval(secs => n)` })[name] ?? name,
  );
  await api.store.database.query(
    `insert into runs (${names.join(', ')}) select ${values.join(', ')} from runs, generate_series(1, ${count}) as n
     where id = $1`,
    [id],
  );
}
