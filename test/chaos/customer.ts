import { setTimeout as sleep } from 'node:timers/promises';
import type { CallerTokens } from '../../src/dev/issuer.ts';
import type { Json } from '../../src/graph/values/json.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { checkpointsOf } from '../support/readers/api-states.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { createRandom, seedOf } from '../support/builders/random.ts';
import type { Random } from '../support/builders/random.ts';
import { act } from './actions.ts';
import type { Action } from './actions.ts';
import type { PlanGroup, Plan } from './plans.ts';
import { reactionTo } from './reactions.ts';
import type { Reactions } from './reactions.ts';

/** The environment in which customers execute their plans. */
export interface CustomerDeps extends Reactions {
  readonly as: (caller: keyof CallerTokens) => ApiClient;
}

/** The result of a plan. */
export interface PlanResult {
  readonly plan: Plan;
  /** `null` if no run was ever accepted. */
  readonly runId: string | null;
  readonly actions: readonly Action[];
  /** The reason why a plan could not be executed; `null` without one. */
  readonly failure: string | null;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);
const PATIENCE_MS = 600_000;
const PAUSE_MS = 400;

/** Starts the runs of a group one after the other, and handles each until it has ended, or waits as expected. */
export async function executePlans(deps: CustomerDeps, group: PlanGroup, seed: number): Promise<readonly PlanResult[]> {
  const begun: Promise<PlanResult>[] = [];
  let before: string | null = null;
  for (const plan of group) {
    const random = createRandom(seedOf(seed, plan.job));
    const { runId, failure } = await tryToStart(deps, { plan, before }, random);
    before = runId;
    begun.push(tell(deps, { plan, runId, failure }, random));
  }
  return await Promise.all(begun);
}

/** The plan to start, and the previous run of its group. */
interface Next {
  readonly plan: Plan;
  readonly before: string | null;
}

type Accepted = Pick<PlanResult, 'runId' | 'failure'>;

async function tryToStart(deps: CustomerDeps, next: Next, random: Random): Promise<Accepted> {
  try {
    return { runId: await start(deps.as('user'), next, random), failure: null };
  } catch (error) {
    return { runId: null, failure: messageOf(error) };
  }
}

async function tell(deps: CustomerDeps, begun: Accepted & Pick<Next, 'plan'>, random: Random): Promise<PlanResult> {
  const { plan, runId } = begun;
  const actions: Action[] = [];
  if (runId === null) return { ...begun, actions };
  try {
    await handleRun(deps, { plan, runId, actions }, random);
    return { ...begun, actions };
  } catch (error) {
    return { ...begun, actions, failure: messageOf(error) };
  }
}

/** Requests a run until it is accepted; sometimes the request is sent once more than necessary. */
async function start(client: ApiClient, next: Next, random: Random): Promise<string> {
  const { path, body } = await requestFor(client, next);
  const ask = async (): Promise<string> => {
    const answer = await client.post(path, body, { 'idempotency-key': next.plan.job });
    if (answer.status === 201) return textAt(answer.body, '/id');
    throw new Error(`The run was not accepted: ${JSON.stringify(answer.body)}`);
  };
  const ids = await Promise.all(random.next() < 0.4 ? [ask(), ask()] : [ask()]);
  const [id = ''] = ids;
  if (ids.every((other) => other === id)) return id;
  throw new Error(`One key started several runs: ${ids.join(', ')}`);
}

interface Request {
  readonly path: string;
  readonly body: Json;
}

async function requestFor(client: ApiClient, { plan, before }: Next): Promise<Request> {
  const { graph, input, begins } = plan;
  switch (begins.kind) {
    case 'new':
      return { path: '/api/runs', body: { graph, input } };
    case 'turn':
      return { path: '/api/runs', body: { graph, input, threadId: begins.threadId, onBusy: 'enqueue' } };
    case 'fork': {
      if (before === null) throw new Error('There is no run to fork');
      const checkpoint = await checkpointOfStep(client, before, begins.step);
      return { path: `/api/runs/${before}/fork`, body: { checkpoint, values: begins.values } };
    }
  }
}

/** The checkpoint after a superstep, once that has ended. */
async function checkpointOfStep(client: ApiClient, runId: string, step: number): Promise<string> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(PAUSE_MS)) {
    const found = (await checkpointsOf(client, runId)).find((checkpoint) => at(checkpoint, '/step') === step);
    if (found !== undefined) return textAt(found, '/id');
  }
  throw new Error(`The run has no checkpoint of superstep ${step}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface HandledRun {
  readonly plan: Plan;
  readonly runId: string;
  readonly actions: Action[];
}

async function handleRun(deps: CustomerDeps, handled: HandledRun, random: Random): Promise<void> {
  const { plan, runId } = handled;
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    const { body: run } = await deps.as('user').get(`/api/runs/${runId}`, { prefer: 'wait=3' });
    if (isSettled(run, plan)) return;
    for (const waiting of listAt(run, '/waitingFor')) await handleWaiting(deps, { ...handled, waiting }, random);
    await sleep(PAUSE_MS);
  }
  throw new Error('The run has not come to an end');
}

/** Handles a pending item of a run that was not handled yet. */
async function handleWaiting(
  deps: CustomerDeps,
  { plan, runId, actions, waiting }: HandledRun & { readonly waiting: Json },
  random: Random,
): Promise<void> {
  for (const wanted of await reactionTo(deps, { plan, runId, waiting })) {
    const { kind, target, by } = wanted;
    if (actions.some((done) => done.kind === kind && done.target === target && done.by === by)) continue;
    actions.push(await act(deps.as(by), { ...wanted, runId }, random));
  }
}

/** True if the run has ended, or waits as expected. */
function isSettled(run: Json, { expected }: Plan): boolean {
  if (ENDED.has(textAt(run, '/status'))) return true;
  return expected.status === 'waiting' && JSON.stringify(listAt(run, '/waitingFor')).includes('"node":"ask"');
}
