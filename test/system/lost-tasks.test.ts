import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { UPGRADE, toWorkflowId } from '../../src/workflows/contract.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { aJob } from '../support/readers/api-states.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { aToolOf } from '../support/doubles/configured-tool.ts';
import { startJobService } from '../support/doubles/job-service.ts';
import type { JobService } from '../support/doubles/job-service.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { startLossyStack } from '../support/servers/lossy-stack.ts';
import type { LossyStack } from '../support/servers/lossy-stack.ts';
import { accountOfRows, accountOfWorkflow, committedEvents } from '../support/readers/run-accounts.ts';
import type { RunAccount } from '../support/readers/run-accounts.ts';
import type { HeldRequest, RequestTest } from '../support/servers/temporal-proxy.ts';

/*
 * A worker's message to the server is lost at the moment of a journal write, and something else happens to the run
 * before the server times out the task (30 seconds): the task is repeated with more events, and may lead to other
 * decisions. The store agrees with Temporal's history at all times. The tests run concurrently because they mostly
 * wait.
 */

vi.setConfig({ testTimeout: 120_000 });

let service: JobService;
let stack: LossyStack;
beforeAll(async () => {
  service = await startJobService();
  stack = await startLossyStack({
    tools: [aToolOf(service), aToolOf(service, { name: 'strike', effect: 'unsafe' })],
    http: { allow: [service.address] },
    defaults: { heartbeatTimeout: '5s' },
  });
});
afterAll(async () => {
  await stack.stop();
  await service.stop();
});

/** Long enough for an earlier continue-as-new of the run. */
const LATER = '30s';

const PATIENTLY = { interval: 50, timeout: 60_000 };

/** A run whose first job is open. */
interface Course {
  readonly id: string;
  readonly workflowId: string;
  readonly handle: WorkflowHandle;
  /** The prefix of its job names. */
  readonly job: string;
  /** Completes the first job. */
  readonly release: () => void;
}

let courses = 0;

/**
 * @param nodes follow the first job; they receive the prefix of their job names
 * @param how their edges, if they are no sequence; the fields of the first node, and the run's limits
 */
async function begin(
  nodes: (job: string) => GraphDefinition['nodes'] = () => ({}),
  {
    edges,
    first = {},
    limits,
  }: Partial<Pick<GraphDefinition, 'edges' | 'limits'>> & { first?: Parameters<typeof aJob>[1] } = {},
): Promise<Course> {
  const job = `job-${++courses}`;
  const held = service.hold(`${job}-first`);
  const all = { first: aJob(`${job}-first`, first), ...nodes(job) };
  const graph = aDefinition({ nodes: all, ...(edges && { edges }) });
  const id = textAt((await stack.as('user').post('/api/runs', { graph, ...(limits && { limits }) })).body, '/id');
  const workflowId = toWorkflowId({ tenantId: 'demo', id });
  return { id, workflowId, handle: stack.temporal.workflow.getHandle(workflowId), job, release: await held };
}

const asks = { type: 'approval', title: 'May I?', write: { log: '{{ result.decision }}' } } as const;
const strikes = (job: string) => aJob(job, { tool: 'strike' });
/** Approves like the API, which adds the time of the decision. */
const approve = async ({ handle }: Course) =>
  await handle.signal('approve', { signalId: 'yes', at: new Date().toISOString() });

function completesTask({ workflowId }: Course, ...texts: readonly string[]): RequestTest {
  return ({ method, mentions }) => method === 'RespondWorkflowTaskCompleted' && mentions(workflowId, ...texts);
}

function completesActivity({ workflowId }: Course, type: string): RequestTest {
  return ({ method, mentions }) => method === 'RespondActivityTaskCompleted' && mentions(workflowId, type);
}

function heartbeatOf({ workflowId }: Course): RequestTest {
  return ({ method, mentions }) => method === 'RecordActivityTaskHeartbeat' && mentions(workflowId);
}

/** Matches the task that receives the result of the journal write. */
function completesTaskAfterRecord(course: Course): RequestTest {
  let isWritten = false;
  return (request) => {
    isWritten ||= completesActivity(course, 'record')(request);
    return isWritten && completesTask(course)(request);
  };
}

/** Completes the first job. @returns the following task, on its way to the server */
async function loseNext(course: Course, isWanted = completesTask(course)): Promise<HeldRequest> {
  const held = stack.proxy.hold(isWanted);
  course.release();
  return await held;
}

type Happening = 'workflowTaskTimedOut' | 'workflowTaskFailed' | 'timerFired';

async function untilHistory({ handle }: Course, what: Happening): Promise<void> {
  // `expect.poll` does not find its test in concurrent tests.
  await vi.waitFor(async () => {
    const { events = [] } = await handle.fetchHistory();
    if (!events?.some((event) => event[`${what}EventAttributes`])) throw new Error(`There is no ${what} yet`);
  }, PATIENTLY);
}

/** Waits until the server has timed out a task. The worker's completion of the task is then too late. */
async function giveUp(course: Course, task: HeldRequest): Promise<void> {
  await untilHistory(course, 'workflowTaskTimedOut');
  await task.deliver();
}

/** The server's reasons for refusing the completions of tasks. */
async function refusalsOf(execution: WorkflowHandle): Promise<string[]> {
  const history = toJson(JSON.parse(historyToJSON(await execution.fetchHistory())));
  return listAt(history, '/events').flatMap((event) => {
    const cause = at(event, '/workflowTaskFailedEventAttributes/cause');
    return typeof cause === 'string' ? cause : [];
  });
}

async function timersFiredIn(execution: WorkflowHandle): Promise<number> {
  const { events } = await execution.fetchHistory();
  return (events ?? []).filter((event) => event.timerFiredEventAttributes).length;
}

async function until({ id }: Course, ...statuses: string[]): Promise<void> {
  await stack.as('user').untilRun(id, hasStatus(...statuses), PATIENTLY.timeout);
}

const rowsOf = async ({ id }: Course): Promise<RunAccount> => await accountOfRows(stack.as('user'), id);

/** Checks that rows contain nothing that the history does not. @returns the status events of the run */
async function expectCommitted(course: Course): Promise<string[]> {
  const { events } = await rowsOf(course);
  expect(events).toEqual((await committedEvents(course.handle)).slice(0, events.length));
  return turnsIn(events);
}

/** Waits for the end. Rows, workflow and history agree, and the rows suffice to replay the run. */
async function expectAgreement(course: Course, before: readonly WorkflowHandle[] = []): Promise<string[]> {
  await course.handle.result().catch(() => undefined);
  const executions = [...before, course.handle];
  const rows = await rowsOf(course);
  const told = await Promise.all(executions.map(accountOfWorkflow));
  const committed = await Promise.all(executions.map(committedEvents));
  expect(rows).toEqual({ ...told.at(-1), events: onceEach(told.flatMap(({ events }) => events)) });
  expect(rows.events).toEqual(committed.flat());
  expect(rows.events.map((event) => at(event, '/seq'))).toEqual(rows.events.map((_, rank) => rank + 1));
  const { body: replay } = await stack.as('user').post(`/api/runs/${course.id}/replay`, {});
  expect(replay).toMatchObject({ replayOf: course.id, divergence: null });
  return turnsIn(rows.events);
}

/** An execution that continues another one repeats the events of that one, so duplicates are removed. */
function onceEach(events: readonly Json[]): Json[] {
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
}

function turnsIn(events: readonly Json[]): string[] {
  return events.map((event) => textAt(event, '/type')).filter((type) => /^(run|approval|signal)\./.test(type));
}

/** The calls received, without the prefix of the run's job names. */
function callsOf({ job }: Course): string[] {
  return service.calls.filter((call) => call.job.startsWith(`${job}-`)).map((call) => call.job.slice(job.length + 1));
}

const begun = 'run.started';
const ended = 'run.completed';
const [asked, decided] = ['approval.requested', 'approval.decided'];

describe.concurrent('a lost workflow task', () => {
  test('a lost workflow task that scheduled a journal write is repeated after a pause, with the write', async () => {
    const course = await begin((job) => ({ ask: asks, last: aJob(`${job}-last`) }));
    const task = await loseNext(course, completesTask(course, 'record'));
    await course.handle.signal('pause');
    expect(await expectCommitted(course)).toEqual([begun]);
    await giveUp(course, task);
    await until(course, 'paused');
    expect(await expectCommitted(course)).toEqual([begun, 'run.paused']);
    await course.handle.signal('resume');
    await until(course, 'waiting');
    await approve(course);
    expect(await expectAgreement(course)).toEqual([begun, 'run.paused', 'run.resumed', asked, decided, ended]);
    expect(callsOf(course)).toEqual(['first', 'last']);
  });

  test('a lost workflow task that scheduled a call with the journal delays the call by a pause', async () => {
    const course = await begin((job) => ({ last: strikes(`${job}-last`) }));
    const task = await loseNext(course, completesTask(course, `${course.job}-last`));
    await course.handle.signal('pause');
    expect(await expectCommitted(course)).toEqual([begun]);
    await giveUp(course, task);
    await until(course, 'paused');
    expect(callsOf(course)).toEqual(['first']);
    await course.handle.signal('resume');
    expect(await expectAgreement(course)).toEqual([begun, 'run.paused', 'run.resumed', ended]);
    expect(callsOf(course)).toEqual(['first', 'last']);
  });

  test('a lost workflow task that received the result of a journal write does not count an approval twice that arrived meanwhile', async () => {
    const course = await begin((job) => ({ ask: asks, last: strikes(`${job}-last`) }));
    const task = await loseNext(course, completesTaskAfterRecord(course));
    expect(await expectCommitted(course)).toEqual([begun, asked]);
    await approve(course);
    await approve(course);
    await giveUp(course, task);
    expect(await expectAgreement(course)).toEqual([begun, asked, decided, ended]);
    expect(callsOf(course)).toEqual(['first', 'last']);
  });
});

describe.concurrent('a decision and the expiry of its approval in the same lost workflow task', () => {
  test('a decision and the expiry of its approval in one lost workflow task do not both count if the approval had expired', async () => {
    const course = await begin(() => ({ ask: { ...asks, timeout: '1s' } }));
    const task = await loseNext(course, completesTask(course, 'expired'));
    await approve(course);
    expect(await expectCommitted(course)).toEqual([begun, asked]);
    await giveUp(course, task);
    const closed = (await expectAgreement(course)).filter((type) => type === decided || type === 'approval.expired');
    const { approvals } = await rowsOf(course);
    expect(closed).toEqual([at({ approvals }, '/approvals/0/status') === 'approved' ? decided : 'approval.expired']);
  });

  test('a lost workflow task that had handled a decision leaves the decision in force and the expiry timer void', async () => {
    const course = await begin((job) => ({ ask: { ...asks, timeout: '25s' }, last: strikes(`${job}-last`) }));
    course.release();
    await until(course, 'waiting');
    const held = stack.proxy.hold(completesTask(course, `${course.job}-last`));
    await approve(course);
    await giveUp(course, await held);
    await untilHistory(course, 'timerFired');
    expect(await expectAgreement(course)).toEqual([begun, asked, decided, ended]);
    expect(callsOf(course)).toEqual(['first', 'last']);
  });
});

describe.concurrent('a deadline that passes in the task in which the run receives its extension', () => {
  test('a deadline that passes in the workflow task in which the run receives its extension does not end the run before the new deadline', async () => {
    const course = await begin((job) => ({ hear: { type: 'wait', event: 'go' }, last: aJob(`${job}-last`) }), {
      // The first job waits for an intervention next to a wait, so that time matters.
      first: { onError: 'intervene' },
      edges: [
        { from: '__start__', to: ['first', 'hear'] },
        { from: ['first', 'hear'], to: 'last' },
      ],
      limits: { deadline: '20s' },
    });
    service.refuse(`${course.job}-first`);
    course.release();
    await until(course, 'waiting');
    const held = stack.proxy.hold(completesTask(course));
    await course.handle.signal('event', { event: 'nothing' });
    const task = await held;
    await course.handle.signal('retry', { signalId: 'again', limits: { deadline: '50m' } });
    await giveUp(course, task);
    await untilHistory(course, 'timerFired');
    await course.handle.signal('event', { event: 'go' });
    expect(await expectAgreement(course)).toContain('run.retried');
    expect(callsOf(course)).toEqual(['first', 'first', 'last']);
  });
});

describe.concurrent('the last workflow task of a run', () => {
  test.each([
    ['times out', giveUp],
    ['is delivered after new signals', async (_: Course, task: HeldRequest) => await task.deliver()],
  ])('the last workflow task of a run that %s does not reopen a run that has ended', async (_, pass) => {
    const course = await begin();
    const task = await loseNext(course, completesTaskAfterRecord(course));
    await until(course, 'completed');
    const rows = await rowsOf(course);
    await course.handle.signal('pause');
    await course.handle.cancel();
    await pass(course, task);
    expect(await expectAgreement(course)).toEqual([begun, ended]);
    expect(await rowsOf(course)).toEqual(rows);
    expect((await course.handle.describe()).status.name).toBe('COMPLETED');
  });

  test('the last workflow task of a run that arrives when the run is reopened does not disturb it: it continues after the previous execution', async () => {
    const course = await begin();
    service.refuse(`${course.job}-first`);
    const task = await loseNext(course, completesTaskAfterRecord(course));
    await until(course, 'failed');
    const { runId } = await course.handle.describe();
    const retried = stack.as('user').post(`/api/runs/${course.id}/retry`, {});
    await until(course, 'running');
    await course.handle.signal('pause');
    await task.deliver();
    expect(await retried).toMatchObject({ status: 202 });
    await until(course, 'completed');
    const before = stack.temporal.workflow.getHandle(course.workflowId, runId);
    expect(await expectAgreement(course, [before])).toEqual([begun, 'run.failed', 'run.retried', ended]);
    expect(callsOf(course)).toEqual(['first', 'first']);
  });
});

describe.concurrent('the workflow task that continues a run as new', () => {
  /** Each of them is in a different state when the run continues as new. */
  const branches: Parameters<typeof begin> = [
    () => ({
      ask: asks,
      hear: { type: 'wait', event: 'go', write: { log: '{{ result }}' } },
      late: { ...asks, timeout: LATER },
      rest: { type: 'wait', for: LATER, write: { log: 'rested' } },
    }),
    {
      edges: [
        { from: '__start__', to: 'first' },
        { from: 'first', to: ['ask', 'hear', 'late', 'rest'] },
      ],
    },
  ];

  /** Makes the run continue as new. @returns the task that does so, and the execution that it ends */
  async function holdContinueAsNew(course: Course): Promise<{ task: HeldRequest; before: WorkflowHandle }> {
    const { runId } = await course.handle.describe();
    const held = stack.proxy.hold(completesTask(course, '"kind":"continue"'));
    await course.handle.signal(UPGRADE);
    return {
      task: await held,
      before: stack.temporal.workflow.getHandle(course.workflowId, runId, { followRuns: false }),
    };
  }

  test('the workflow task that continues a run as new is refused when signals arrived meanwhile, and each signal counts once in the next execution', async () => {
    const course = await begin(...branches);
    course.release();
    await until(course, 'waiting');
    const { task, before } = await holdContinueAsNew(course);
    const approvalId = `${course.id}.a1`;
    await course.handle.signal('approve', { approvalId, signalId: 'yes' });
    await course.handle.signal('event', { event: 'go', payload: 'heard' });
    await task.deliver();
    await before.result().catch(() => undefined);
    expect(await refusalsOf(before)).toEqual(['WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND']);
    const met = [begun, asked, asked, decided, 'signal.received'];
    expect(turnsIn((await rowsOf(course)).events)).toEqual(met);
    expect(await expectAgreement(course, [before])).toEqual([...met, 'approval.expired', ended]);
    const log = [`${course.job}-first`, 'approved', 'heard', 'expired', 'rested'];
    expect((await rowsOf(course)).values).toEqual({ log });
    expect(await Promise.all([before, course.handle].map(timersFiredIn))).toEqual([0, 2]);
  });
});

describe.concurrent('a lost response of the server', () => {
  test('a lost response of the server to the task that scheduled a call leads to one call in the next attempt', async () => {
    const course = await begin((job) => ({ second: strikes(`${job}-second`), last: aJob(`${job}-last`) }));
    const lost = stack.proxy.loseAnswer(completesTask(course, `${course.job}-second`));
    course.release();
    await lost;
    await course.handle.signal('pause');
    await until(course, 'paused');
    await course.handle.signal('resume');
    expect(await expectAgreement(course)).toEqual([begun, 'run.paused', 'run.resumed', ended]);
    expect(callsOf(course)).toEqual(['first', 'second', 'last']);
  });
});

describe.concurrent('an activity that wrote the journal, and whose completion the server does not receive', () => {
  test('an activity that wrote the journal, and whose completion the server does not receive, is repeated later and changes nothing', async () => {
    const course = await begin((job) => ({ ask: asks, last: strikes(`${job}-last`) }));
    const first = await loseNext(course, completesActivity(course, 'record'));
    // The next call carries what is written then, so only the second attempt is relevant.
    const held = stack.proxy.hold(completesActivity(course, 'record'));
    expect(await expectCommitted(course)).toEqual([begun, asked]);
    const out = service.hold(`${course.job}-last`);
    await approve(course);
    const release = await out;
    const rows = await rowsOf(course);
    expect(turnsIn(rows.events)).toEqual([begun, asked, decided]);
    const second = await held;
    expect(await rowsOf(course)).toEqual(rows);
    first.drop();
    await second.deliver();
    release();
    expect(await expectAgreement(course)).toEqual([begun, asked, decided, ended]);
    expect(callsOf(course)).toEqual(['first', 'last']);
  });

  test('a journal activity with a call whose completion the server does not receive is repeated, and the ledger answers the second attempt of the call', async () => {
    const course = await begin((job) => ({ last: strikes(`${job}-last`) }));
    const first = await loseNext(course, completesActivity(course, 'callTool'));
    await course.handle.signal('pause');
    await until(course, 'paused');
    first.drop();
    await course.handle.signal('resume');
    expect(await expectAgreement(course)).toEqual([begun, 'run.paused', 'run.resumed', ended]);
    expect(callsOf(course)).toEqual(['first', 'last']);
  });
});

describe.concurrent('a call of which the server receives nothing', () => {
  test('a call whose heartbeats are lost is made by the next attempt, and nothing is canceled', async () => {
    const course = await begin();
    // A worker waits for the response to one heartbeat before it sends the next.
    const lost = await stack.proxy.hold(heartbeatOf(course));
    // The first call is held, so the second one belongs to the next attempt.
    await vi.waitUntil(() => callsOf(course).length === 2, PATIENTLY);
    await lost.deliver();
    expect(await expectAgreement(course)).toEqual([begun, ended]);
    expect(callsOf(course)).toEqual(['first', 'first']);
    expect(service.done.filter((job) => job === `${course.job}-first`)).toHaveLength(1);
  });
});
