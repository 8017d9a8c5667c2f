import type { QueueHead } from '../store/threads.ts';
import type { ApiDeps } from './environment.ts';
import { tryHandOver } from './hand-over.ts';

type GrantDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

const BATCH = 100;

/** Has the next run of each thread begin once the thread is free, and the one at work end that is to be interrupted. */
export async function grantTurns(deps: GrantDeps): Promise<void> {
  for (const head of await deps.store.threads.queueHeads(BATCH)) {
    if (head.activeRunId !== null) await interrupt(deps, head, head.activeRunId);
    else if (await deps.store.threads.grant(head, new Date().toISOString())) await tryHandOver(deps, head.runId);
  }
}

async function interrupt({ store, engine }: GrantDeps, head: QueueHead, activeRunId: string): Promise<void> {
  if (!head.interrupts) return;
  const { runId, tenantId } = head;
  const payload = {
    decisionId: `${runId}.interrupt`,
    by: { sub: 'thread', roles: [] },
    reason: `Run ${runId} takes over its thread`,
  };
  await engine.decide({ tenantId, id: activeRunId }, 'cancel', payload);
  await store.threads.markInterrupted(runId);
}
