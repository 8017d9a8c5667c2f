import { startRun } from '../../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../../src/graph/compile/compile.ts';
import type { JournalBatch } from '../../../src/graph/journal/batch.ts';
import type { ModelDelta } from '../../../src/graph/journal/model-delta.ts';
import type { Checkpoint } from '../../../src/graph/journal/resume-point.ts';
import type { EndedRunState } from '../../../src/graph/journal/batch.ts';
import { NOT_BEGUN_VIEW } from '../../../src/graph/journal/run-view.ts';
import type { Intervention, RunView } from '../../../src/graph/journal/run-view.ts';
import type { RunEvent } from '../../../src/graph/journal/events.ts';
import type { Approval } from '../../../src/graph/run/approval.ts';
import type { RecordedOccurrence } from '../../../src/graph/run/occurrence.ts';
import type { NewRun } from '../../../src/store/accept-run.ts';
import type { Store } from '../../../src/store/store.ts';
import { aRun } from '../../../src/testing/store-checks.ts';
import type { RunGraphInput } from '../../../src/workflows/contract.ts';
import { aCatalog, aDefinition } from './builders.ts';

/** The default timestamp. */
export const AT = '2026-01-02T03:04:05.678Z';
export const LATER = '2026-01-02T04:04:05.678Z';

/** The first piece of an answer. */
export function aDelta(over: Partial<ModelDelta> = {}): ModelDelta {
  return { node: 'think', visit: 1, attempt: 1, callKey: 'R:think:1:0:0', index: 0, text: 'Hi', ...over };
}

/** A run of a definition with the hash `h1`. */
export function aNewRun(over: Partial<NewRun> & { id: string }): NewRun {
  const graph = { name: 'refund', version: 1, hash: 'h1' };
  return aRun({ tenantId: 'acme', graph, createdAt: AT, start: { some: 'input' }, ...over });
}

/** The input with which a run of a definition was started. */
export function aStart(over: Partial<RunGraphInput> = {}): RunGraphInput {
  const graph = { name: 'refund', version: 1, hash: 'h1' };
  const createdBy = { sub: 'ann', roles: ['user'] };
  return {
    interpreterVersion: 1,
    execution: 1,
    identity: {
      id: 'R',
      tenantId: 'acme',
      threadId: null,
      graph,
      createdBy,
      limits: { maxSteps: 7, maxConcurrency: 4 },
    },
    definition: aDefinition(),
    catalog: aCatalog(),
    begin: { kind: 'input', input: {} },
    ...over,
  };
}

export function aView(over: Partial<RunView> = {}): RunView {
  return { ...NOT_BEGUN_VIEW, status: 'running', startedAt: AT, step: 0, ...over };
}

const anEvent = (seq: number): RunEvent => ({ seq, at: AT, step: 0, type: 'step.started', nodes: [`n${seq}`] });

export function aBatch(seqs: readonly number[], over: Partial<JournalBatch> = {}): JournalBatch {
  return {
    events: seqs.map(anEvent),
    checkpoints: [],
    approvals: [],
    occurrences: [],
    view: aView(),
    endedState: null,
    ...over,
  };
}

/** Builds the recorded occurrence number n of a run: a completed call. */
export const anOccurrence = (n: number): RecordedOccurrence => ({
  kind: 'call.completed',
  key: `R:a:${n}:0:0`,
  number: n,
  seq: n,
  at: Date.parse(AT),
});

/** Builds the checkpoint number n of a run, written with event n. */
export function aCheckpoint(runId: string, n: number, over: Partial<Checkpoint> = {}): Checkpoint {
  return {
    id: `${runId}.c${n}`,
    parentId: n > 1 ? `${runId}.c${n - 1}` : null,
    seq: n,
    step: n - 2,
    source: 'loop',
    next: ['a'],
    createdAt: AT,
    changes: { x: { set: n } },
    resumePoint: { visits: { a: n } },
    ...over,
  };
}

/** Builds an approval of a run. */
export function anApproval(runId: string, status: Approval['status']): Approval {
  return {
    id: `${runId}.a1`,
    runId,
    node: 'ask',
    title: 'Go?',
    details: null,
    args: null,
    argsSchema: null,
    decisionSchema: null,
    policy: {},
    digest: 'd',
    status,
    decisions: [],
    previous: [],
    requestedBy: 'ann',
    requesters: ['ann'],
    requestedAt: AT,
    expiresAt: '2099-01-01T00:00:00.000Z',
    task: ['ask'],
    asked: 'd',
  };
}

/** Builds an intervention for a call whose outcome is unknown. */
export const anIntervention = (id: string): Intervention => ({
  kind: 'intervention',
  id,
  node: 'pay',
  since: AT,
  tool: 'charge',
  args: { amount: 1 },
  idempotencyKey: `key of ${id}`,
  error: { code: 'UNKNOWN_OUTCOME', message: 'lost' },
  choices: [{ action: 'retry', effect: 'Again.' }],
});

/** Builds the stored state of an ended run. */
export function aClosedRun(id: string, over: Partial<EndedRunState> = {}): EndedRunState {
  const identity = {
    id,
    tenantId: 'acme',
    threadId: null,
    graph: { name: 'refund', version: 1, hash: 'h1' },
    createdBy: { sub: 'ann', roles: [] },
    limits: { maxSteps: 25, maxConcurrency: 100 },
  };
  const { run } = startRun(compileGraph(aDefinition(), aCatalog()), identity, { input: {}, startedAt: 0 });
  return { ...run, ...over };
}

export async function writeTo(
  store: Store,
  run: { id: string; tenantId?: string },
  batch: JournalBatch,
): Promise<void> {
  const { id: runId, tenantId = 'acme' } = run;
  await store.journal.write(batch, { runId, tenantId, executionRunId: 'e1' });
}

/** Ends a run as failed, with its event number `seq`. */
export async function endRun(store: Store, run: { id: string; tenantId?: string }, seq = 1): Promise<void> {
  const view = aView({ status: 'failed', endedAt: AT });
  await writeTo(store, run, aBatch([seq], { view, endedState: aClosedRun(run.id) }));
}
