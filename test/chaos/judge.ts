import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { WorkflowClient } from '@temporalio/client';
import { keepHistories } from '../../src/dev/replays/keep-histories.ts';
import { describeHistoryDifference, replayHistories } from '../../src/dev/replays/replay-histories.ts';
import type { ReplayedHistories } from '../../src/dev/replays/replay-histories.ts';
import type { HistorySource } from '../../src/dev/stack.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { executionsOf } from '../support/readers/executions.ts';
import { openSource } from '../support/servers/histories.ts';
import { checkDatabase } from './checks/check-rows.ts';
import { lastFailedTask } from './checks/last-failed-task.ts';
import { RULES } from './checks/rules.ts';
import { gatherFacts } from './checks/run-facts.ts';
import type { Sources } from './checks/run-facts.ts';
import type { PlanResult } from './customer.ts';
import type { CallRecords } from './third-party.ts';

export interface Verdict {
  readonly about: string;
  /** The violations; an empty list means that the run passed. */
  readonly findings: readonly string[];
}

export interface Judgment {
  /** The number of runs that continued as new because their histories had grown too long. */
  readonly continued: number;
  /** The number of replayed histories of all executions, and the bundle used. */
  readonly replays: Pick<ReplayedHistories, 'replayed' | 'bundle'>;
  /** One verdict for each run, and one for each rule about rows. */
  readonly verdicts: readonly Verdict[];
}

/** The final evidence to judge. */
export interface Evidence {
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  /** The file of the workflow bundle that all workers used. */
  readonly code: string;
  readonly seed: number;
  readonly client: ApiClient;
  readonly records: CallRecords;
}

export async function judge(evidence: Evidence, stories: readonly PlanResult[]): Promise<Judgment> {
  const teardown = openTeardown();
  try {
    const { temporalAddress, databaseUrl, client, records } = evidence;
    const source = await openSource({ address: temporalAddress }, databaseUrl, teardown);
    const { workflow } = new Client({ connection: source.connection });
    const sources: Sources = {
      client,
      workflowOf: (id) => workflow.getHandle(workflowIdOf(id)),
      done: records.done,
    };
    const replays = await replay(source, evidence);
    const ofRuns: Verdict[] = [];
    for (const story of stories) ofRuns.push(await judgeRun(sources, story, replays));
    const accepted = stories.flatMap(({ runId }) => (runId === null ? [] : [runId]));
    const ofRows = Object.entries(await checkDatabase(databaseUrl, accepted.length));
    return {
      continued: await countContinued(workflow, accepted),
      replays,
      verdicts: [...ofRuns, ...ofRows.map(([about, findings]) => ({ about, findings }))],
    };
  } finally {
    await teardown.run();
  }
}

const workflowIdOf = (id: string): string => toWorkflowId({ tenantId: 'demo', id });

/** Replays the histories of all executions with the bundle that made them. */
async function replay(source: HistorySource, { code, seed }: Evidence): Promise<ReplayedHistories> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-chaos-'));
  try {
    await keepHistories(source, folder, `chaos with seed ${seed}`);
    return await replayHistories(folder, { ...process.env, HOLDFAST_WORKFLOW_BUNDLE: code });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A run whose history is unavailable is not counted: its verdict reports that. */
async function countContinued(workflow: WorkflowClient, runIds: readonly string[]): Promise<number> {
  let continued = 0;
  for (const runId of runIds) {
    const executions = await executionsOf(workflow, runId).catch(() => []);
    if (executions.length > 1) continued += 1;
  }
  return continued;
}

async function judgeRun(sources: Sources, story: PlanResult, { differences }: ReplayedHistories): Promise<Verdict> {
  const { plan, runId, failure } = story;
  const about = `${plan.job} (${plan.graph}, ${plan.begins.kind}, ${runId ?? 'not accepted'})`;
  if (runId === null) return { about, findings: [failure ?? 'It was not accepted'] };
  const differing = differences
    .filter(({ workflowId }) => workflowId === workflowIdOf(runId))
    .map(describeHistoryDifference);
  const facts = await gatherFacts(sources, story, runId).catch(inWords);
  if (typeof facts === 'string') {
    const failed = await lastFailedTask(sources.workflowOf(runId)).catch(inWords);
    return { about, findings: [...differing, `Nothing can be said of it: ${facts}; ${failed}`] };
  }
  const broken = Object.entries(RULES).flatMap(([rule, check]) => check(facts).map((text) => `${rule}: ${text}`));
  return { about, findings: [...differing, ...broken] };
}

/** Formats an error with its causes. */
function inWords(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? `${error}, as ${inWords(error.cause)}` : String(error);
}
