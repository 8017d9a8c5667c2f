import { setTimeout as sleep } from 'node:timers/promises';
import type { Tokens } from '../../src/dev/issuer.ts';
import type { Json } from '../../src/graph/json.ts';
import type { ApiClient } from '../support/api-client.ts';
import { listAt, textAt } from '../support/json-at.ts';
import type { Random } from '../support/random.ts';
import { act } from './actions.ts';
import type { Action } from './actions.ts';
import type { Plan } from './plans.ts';
import { reactionTo } from './reactions.ts';
import type { Reactions } from './reactions.ts';

/** Where customers come with their plans. */
export interface Office extends Reactions {
  readonly as: (caller: keyof Tokens) => ApiClient;
}

/** What came of a plan. */
export interface Story {
  readonly plan: Plan;
  /** `null`: no run was ever accepted. */
  readonly runId: string | null;
  readonly actions: readonly Action[];
  /** What people could not do. */
  readonly trouble: string | null;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);
const PATIENCE_MS = 600_000;
const PAUSE_MS = 400;

/** Starts a run and sees to it until it has ended, or waits as it is meant to. */
export async function serve(office: Office, plan: Plan, random: Random): Promise<Story> {
  const story = { plan, runId: null as string | null, actions: [] as Action[] };
  try {
    story.runId = await start(office.as('user'), plan, random);
    await attend(office, { ...story, runId: story.runId }, random);
    return { ...story, trouble: null };
  } catch (error) {
    return { ...story, trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** Asks for a run until it is accepted; some ask once more than they need. */
async function start(client: ApiClient, { job, graph, input }: Plan, random: Random): Promise<string> {
  const ask = async (): Promise<string> => {
    const { status, body } = await client.post('/api/runs', { graph, input }, { 'idempotency-key': job });
    if (status === 201) return textAt(body, '/id');
    throw new Error(`The run was not accepted: ${JSON.stringify(body)}`);
  };
  const ids = await Promise.all(random.next() < 0.4 ? [ask(), ask()] : [ask()]);
  const [id = ''] = ids;
  if (ids.every((other) => other === id)) return id;
  throw new Error(`One key started several runs: ${ids.join(', ')}`);
}

interface Attended {
  readonly plan: Plan;
  readonly runId: string;
  readonly actions: Action[];
}

async function attend(office: Office, attended: Attended, random: Random): Promise<void> {
  const { plan, runId } = attended;
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    const { body: run } = await office.as('user').get(`/api/runs/${runId}`, { prefer: 'wait=3' });
    if (isSettled(run, plan)) return;
    for (const waiting of listAt(run, '/waitingFor')) await see(office, { ...attended, waiting }, random);
    await sleep(PAUSE_MS);
  }
  throw new Error('The run has not come to an end');
}

/** Does about something that a run waits for what has not been done yet. */
async function see(
  office: Office,
  { plan, runId, actions, waiting }: Attended & { readonly waiting: Json },
  random: Random,
): Promise<void> {
  for (const wanted of await reactionTo(office, { plan, runId, waiting })) {
    const { kind, target, by } = wanted;
    if (actions.some((done) => done.kind === kind && done.target === target && done.by === by)) continue;
    actions.push(await act(office.as(by), { ...wanted, runId }, random));
  }
}

/** It has ended, or waits where it is left to wait. */
function isSettled(run: Json, { expected }: Plan): boolean {
  if (ENDED.has(textAt(run, '/status'))) return true;
  return expected.status === 'waiting' && JSON.stringify(listAt(run, '/waitingFor')).includes('"node":"ask"');
}
