import type { QueueHead } from '../../store/threads.ts';
import type { ApiDeps } from '../deps.ts';
import { tryDispatch } from '../runs/dispatch-run.ts';

type QueueDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/** By thread, the run at work that this process has told to end, which may take a while. */
type Told = Map<string, string>;

const BATCH = 100;

/** Has the next run of each thread begin once the thread is free, and the one at work end that is to be interrupted. */
export function createQueueStarter(): (deps: QueueDeps) => Promise<void> {
  const told: Told = new Map();
  return async function startQueuedRuns(deps) {
    const heads = await deps.store.threads.queueHeads(BATCH);
    await Promise.all(
      heads.map(async (head) => {
        await see(deps, head, told).catch((error: unknown) =>
          deps.logger.warn({ error, run: head.runId }, 'a queued run could not be seen to; it will be tried again'),
        );
      }),
    );
  };
}

async function see(deps: QueueDeps, head: QueueHead, told: Told): Promise<void> {
  const thread = `${head.tenantId}/${head.threadId}`;
  if (head.activeRunId === null) {
    told.delete(thread);
    if (await deps.store.threads.dequeue(head, new Date().toISOString())) await tryDispatch(deps, head.runId);
  } else if (told.get(thread) !== head.activeRunId && (await interrupt(deps, head, head.activeRunId))) {
    told.set(thread, head.activeRunId);
  }
}

/**
 * A run that Temporal does not have yet is canceled once it has it. Nobody waits until a worker has: it is told once.
 * @returns whether it was told
 */
async function interrupt(
  { engine }: QueueDeps,
  { tenantId, interruption }: QueueHead,
  activeRunId: string,
): Promise<boolean> {
  if (!interruption) return false;
  const { runId, by } = interruption;
  const payload = {
    decisionId: `${runId}.interrupt`,
    by: { sub: by, roles: [] },
    reason: `Run ${runId} takes over its thread`,
  };
  return await engine.send({ tenantId, id: activeRunId }, 'cancel', payload);
}
