import { forgetOldest } from '../../graph/values/index.ts';
import { interruptionId } from '../../store/threads.ts';
import type { QueueHead } from '../../store/threads.ts';
import type { ApiDeps } from '../deps.ts';
import { dispatchOrLeave } from '../runs/dispatch-run.ts';

type QueueDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'logger'>;

/** The interruptions that this process has sent, whose runs may need a while to end. */
type SentInterruptions = Set<string>;

const BATCH = 100;
/** Each sweep passes all of them to the store. One that is forgotten is sent again, which changes nothing. */
const MAX_SENT = 1_000;

/** Starts the next run of each free thread, and cancels active runs that a queued one interrupts. */
export function createQueueStarter(): (deps: QueueDeps) => Promise<void> {
  const sent: SentInterruptions = new Set();
  return async function startQueuedRuns(deps) {
    const heads = await deps.store.threads.queueHeads(BATCH, [...sent]);
    await Promise.all(
      heads.map(async (head) => {
        await startQueueHead(deps, head, sent).catch((error: unknown) =>
          deps.logger.warn({ error, run: head.runId }, 'a queued run could not be started; it will be tried again'),
        );
      }),
    );
  };
}

async function startQueueHead(deps: QueueDeps, head: QueueHead, sent: SentInterruptions): Promise<void> {
  const { activeRunId, interruption } = head;
  if (activeRunId === null) {
    if (await deps.store.threads.dequeue(head, new Date().toISOString())) await dispatchOrLeave(deps, head.runId);
  } else if (interruption && (await interruptActiveRun(deps, head, { activeRunId, ...interruption }))) {
    sent.add(interruptionId(activeRunId, interruption.runId));
    forgetOldest(sent, MAX_SENT);
  }
}

type Interruption = NonNullable<QueueHead['interruption']> & { readonly activeRunId: string };

/**
 * Sends the cancel without waiting for a worker. If Temporal does not have the run yet, the next sweep tries again.
 * @returns true if the cancel was sent
 */
async function interruptActiveRun(
  { engine }: QueueDeps,
  { tenantId }: QueueHead,
  { activeRunId, runId, by }: Interruption,
): Promise<boolean> {
  const payload = {
    signalId: `${runId}.interrupt`,
    by: { sub: by, roles: [] },
    reason: `Run ${runId} takes over its thread`,
  };
  return await engine.send({ tenantId, id: activeRunId }, 'cancel', payload);
}
