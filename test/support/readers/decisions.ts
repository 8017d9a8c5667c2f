import type { Json } from '../../../src/graph/values/json.ts';
import type { TestStack } from '../servers/test-stack.ts';
import type { ApiAnswer } from './api-client.ts';
import { hasStatus, startAsking } from './api-runs.ts';
import type { AskingRun } from './api-runs.ts';
import { at } from './json-at.ts';

export type DecidingCaller = Parameters<TestStack['as']>[0];

interface DecisionBody {
  readonly decision: string;
  /** An Idempotency-Key. */
  readonly key?: string;
  readonly [field: string]: unknown;
}

/** Requests of tests that decide approvals. */
export interface Decisions {
  /** Starts a run that waits for an approval. */
  readonly asking: (over?: Parameters<typeof startAsking>[1]) => Promise<AskingRun>;
  readonly decide: (caller: DecidingCaller, run: AskingRun, body: DecisionBody) => Promise<ApiAnswer>;
  readonly approve: (caller: DecidingCaller, run: AskingRun, more?: object) => Promise<ApiAnswer>;
  readonly approvalOf: (run: AskingRun) => Promise<Json>;
  /** Waits for the end of a run. @returns the decision in its output */
  readonly answerOf: (run: AskingRun) => Promise<Json | undefined>;
}

export function createDecisions(stack: () => TestStack): Decisions {
  const decide: Decisions['decide'] = async (caller, { approvalId }, { key, ...body }) => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return await stack().as(caller).post(`/api/approvals/${approvalId}/decision`, body, headers);
  };
  return {
    asking: async (over = {}) => await startAsking(stack().as('user'), over),
    decide,
    approve: async (caller, run, more = {}) => await decide(caller, run, { decision: 'approve', ...more }),
    approvalOf: async ({ approvalId }) => (await stack().as('user').get(`/api/approvals/${approvalId}`)).body,
    answerOf: async ({ runId }) =>
      at(await stack().as('user').untilRun(runId, hasStatus('completed')), '/output/answer'),
  };
}
