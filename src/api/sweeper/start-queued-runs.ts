import type { QueueHead } from '../../store/threads.ts';
import type { ApiDeps } from '../deps.ts';
import { tryDispatch } from '../runs/dispatch-run.ts';

type QueueDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

const BATCH = 100;

/** Starts the next run of each free thread, and cancels active runs that a queued one interrupts. */
export async function startQueuedRuns(deps: QueueDeps): Promise<void> {
  const heads = await deps.store.threads.queueHeads(BATCH);
  await Promise.all(
    heads.map(async (head) => {
      await startHead(deps, head).catch((error: unknown) =>
        deps.logger.warn({ error, run: head.runId }, 'a queued run could not be started; it will be tried again'),
      );
    }),
  );
}

async function startHead(deps: QueueDeps, head: QueueHead): Promise<void> {
  if (head.activeRunId !== null) await interrupt(deps, head, head.activeRunId);
  else if (await deps.store.threads.dequeue(head, new Date().toISOString())) await tryDispatch(deps, head.runId);
}

/** Sends the cancel without waiting for a worker; if Temporal does not have the run yet, the next sweep tries again. */
async function interrupt(
  { store, engine }: QueueDeps,
  { tenantId, interruption }: QueueHead,
  activeRunId: string,
): Promise<void> {
  if (!interruption) return;
  const { runId, by } = interruption;
  const payload = {
    decisionId: `${runId}.interrupt`,
    by: { sub: by, roles: [] },
    reason: `Run ${runId} takes over its thread`,
  };
  const isThere = await engine.send({ tenantId, id: activeRunId }, 'cancel', payload);
  if (isThere) await store.threads.markInterrupted(runId);
}
