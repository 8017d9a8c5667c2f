import { randomUUID } from 'node:crypto';
import { NOT_BEGUN } from '../graph/journal/index.ts';
import type { JournalBatch } from '../graph/journal/index.ts';
import { NOTHING_REDACTED } from '../graph/redaction/index.ts';
import type { NewRun } from '../store/accept-run.ts';
import type { Store } from '../store/store.ts';

/* Runs as checks of stores make them; each is of a tenant of its own. */

export const AT = '2026-01-02T03:04:05.678Z';
/** After `AT`. */
export const LATER = '2026-01-02T04:04:05.678Z';

/** A new name of a tenant, a run or a key. */
export const aName = (): string => `check-${randomUUID()}`;

/** A run whose graph is `{}`. */
export function aRun(over: Partial<NewRun> = {}): NewRun {
  return {
    id: aName(),
    tenantId: aName(),
    graph: { name: 'checked', version: 1, hash: 'check-of-a-store' },
    definition: {},
    threadId: null,
    onBusy: 'reject',
    parentRunId: null,
    replay: null,
    input: {},
    limits: {},
    metadata: {},
    redaction: NOTHING_REDACTED,
    createdBy: 'ann',
    createdAt: AT,
    start: {},
    ...over,
  };
}

/** The part of a journal with some events. */
function aBatch(seqs: readonly number[], node = 'n'): JournalBatch {
  const events = seqs.map((seq) => ({ seq, at: AT, step: 0, type: 'step.started', nodes: [`${node}${seq}`] }) as const);
  const view = { ...NOT_BEGUN, status: 'running', startedAt: AT, step: 0 } as const;
  return { events, checkpoints: [], approvals: [], occurrences: [], view, endedState: null };
}

/** Accepts a run. @returns functions that write to its journal, and read the numbers of its events */
export async function aJournal(store: Store) {
  const run = aRun();
  const { id: runId, tenantId } = run;
  await store.runs.create(run);
  const writer = { runId, tenantId, executionRunId: 'first' };
  return {
    runId,
    write: async (...seqs: readonly number[]) => await store.journal.write(aBatch(seqs), writer),
    writeOther: async (...seqs: readonly number[]) => await store.journal.write(aBatch(seqs, 'other'), writer),
    read: async () => (await store.journal.events(runId, 0, 100)).map(({ seq }) => seq),
  };
}
