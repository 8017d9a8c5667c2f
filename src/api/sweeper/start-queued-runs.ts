import type { QueueHead } from '../../store/threads.ts';
import type { ApiDeps } from '../deps.ts';
import { tryDispatch } from '../runs/dispatch-run.ts';

type QueueDeps = Pick<ApiDeps, 'store' | 'engine' | 'interpreter' | 'logger'>;

/**
 * By thread, the active run that this process has sent a cancel, which may take a while to end it. It holds only threads of
 * the last sweep.
 */
type CanceledRuns = Map<string, string>;

const BATCH = 100;

/** Starts the next run of each free thread, and cancels active runs that a queued one interrupts. */
export function createQueueStarter(): (deps: QueueDeps) => Promise<void> {
  const canceled: CanceledRuns = new Map();
  return async function startQueuedRuns(deps) {
    const heads = await deps.store.threads.queueHeads(BATCH);
    await Promise.all(
      heads.map(async (head) => {
        await startHead(deps, head, canceled).catch((error: unknown) =>
          deps.logger.warn({ error, run: head.runId }, 'a queued run could not be started; it will be tried again'),
        );
      }),
    );
    keepOnly(canceled, heads);
  };
}

function keepOnly(canceled: CanceledRuns, heads: readonly QueueHead[]): void {
  const seen = new Set(heads.map(threadOf));
  for (const thread of canceled.keys()) if (!seen.has(thread)) canceled.delete(thread);
}

function threadOf({ tenantId, threadId }: QueueHead): string {
  return `${tenantId}/${threadId}`;
}

async function startHead(deps: QueueDeps, head: QueueHead, canceled: CanceledRuns): Promise<void> {
  const thread = threadOf(head);
  if (head.activeRunId === null) {
    canceled.delete(thread);
    if (await deps.store.threads.dequeue(head, new Date().toISOString())) await tryDispatch(deps, head.runId);
  } else if (canceled.get(thread) !== head.activeRunId && (await interrupt(deps, head, head.activeRunId))) {
    canceled.set(thread, head.activeRunId);
  }
}

/**
 * Sends the cancel once, without waiting for a worker; if Temporal does not have the run yet, the next sweep tries again.
 * @returns true if the cancel was sent
 */
async function interrupt(
  { engine }: QueueDeps,
  { tenantId, interruption }: QueueHead,
  activeRunId: string,
): Promise<boolean> {
  if (!interruption) return false;
  const { runId, by } = interruption;
  const payload = {
    signalId: `${runId}.interrupt`,
    by: { sub: by, roles: [] },
    reason: `Run ${runId} takes over its thread`,
  };
  return await engine.send({ tenantId, id: activeRunId }, 'cancel', payload);
}
