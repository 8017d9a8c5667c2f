import { forgetOldest } from '../../graph/values/index.ts';
import { interruptionId } from '../../store/threads.ts';
import type { QueueHead } from '../../store/threads.ts';
import type { ApiDeps } from '../deps.ts';
import { tryDispatch } from '../runs/dispatch-run.ts';
import { NOTHING_PRUNED, addPruned } from '../../store/retention.ts';
import type { Pruned, Retention } from '../../store/retention.ts';
import { fromWorkflowId, toWorkflowId } from '../../workflows/contract.ts';
import { takeTurn } from '../schedules/take-turn.ts';
import { healSchedule } from '../schedules/change-schedule.ts';
import { TICKS_KEPT } from '../schedules/trigger.ts';
import { eachOf } from './each-of.ts';

type QueueDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'logger'>;

/** The interruptions that this process has sent, whose runs may need a while to end. */
type SentInterruptions = Set<string>;

const BATCH = 100;
/** Each sweep tells the store of all of them. One that is forgotten is sent again, which changes nothing. */
const MAX_SENT = 1_000;

/** Starts the next run of each free thread, and cancels active runs that a queued one interrupts. */
export function createQueueStarter(): (deps: QueueDeps) => Promise<void> {
  const sent: SentInterruptions = new Set();
  return async function startQueuedRuns(deps) {
    const heads = await deps.store.threads.queueHeads(BATCH, [...sent]);
    await Promise.all(
      heads.map(async (head) => {
        await startHead(deps, head, sent).catch((error: unknown) =>
          deps.logger.warn({ error, run: head.runId }, 'a queued run could not be started; it will be tried again'),
        );
      }),
    );
  };
}

async function startHead(deps: QueueDeps, head: QueueHead, sent: SentInterruptions): Promise<void> {
  const { activeRunId, interruption } = head;
  if (activeRunId === null) {
    if (await deps.store.threads.dequeue(head, new Date().toISOString())) await tryDispatch(deps, head.runId);
  } else if (interruption && (await interrupt(deps, head, { activeRunId, ...interruption }))) {
    sent.add(interruptionId(activeRunId, interruption.runId));
    forgetOldest(sent, MAX_SENT);
  }
}

type Interruption = NonNullable<QueueHead['interruption']> & { readonly activeRunId: string };

/**
 * Sends the cancel without waiting for a worker. If Temporal does not have the run yet, the next sweep tries again.
 * @returns true if the cancel was sent
 */
async function interrupt(
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

type PruneDeps = Pick<ApiDeps, 'store' | 'settings'>;

/** The number of runs in one transaction. */
const PRUNED_AT_ONCE = 200;

/**
 * Deletes data that is older than the installation's retention.
 * @param stopping ends the work after the current batch
 * @returns the numbers of deleted rows
 */
export async function pruneRuns(deps: PruneDeps, stopping: AbortSignal): Promise<Pruned> {
  let total = NOTHING_PRUNED;
  if (stopping.aborted) return total;
  for await (const pruned of deps.store.retention.prune(retentionNow(deps), PRUNED_AT_ONCE)) {
    total = addPruned(total, pruned);
    if (stopping.aborted) break;
  }
  return total;
}

/** Counts what `pruneRuns` would delete now. */
export async function countPrunable(deps: PruneDeps): Promise<Pruned> {
  return await deps.store.retention.count(retentionNow(deps));
}

function retentionNow({ settings }: PruneDeps): Retention {
  const { runsMs, checkpointsMs } = settings.retention;
  return { runsBefore: timeBefore(runsMs), checkpointsBefore: timeBefore(checkpointsMs), toWorkflowId, fromWorkflowId };
}

function timeBefore(ageMs: number | null): string | null {
  return ageMs === null ? null : new Date(Date.now() - ageMs).toISOString();
}

type TendDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

const SCHEDULES_AT_ONCE = 100;
const AT_ONCE = 4;
/** The schedules of a tenant whose ticks one round decides about: the next round of all tenants begins soon. */
const MAX_OF_TENANT = 20;
/** A request that has changed a schedule tells Temporal itself within this time, and one that was overtaken by its deletion, too. */
const HEAL_AFTER_MS = 20_000;

/** Decides about the ticks that wait. */
export async function takeTicks(deps: TendDeps): Promise<void> {
  const due = await deps.store.scheduleTicks.due({ all: SCHEDULES_AT_ONCE, ofTenant: MAX_OF_TENANT });
  await eachOf(due, AT_ONCE, async (schedule) => {
    await takeTurn(deps, schedule).catch((error: unknown) =>
      deps.logger.warn({ error, schedule: schedule.id }, 'a time of a schedule waits; it will be tried again'),
    );
  });
}

/** Makes and deletes Temporal's schedules where a request could not. */
export async function healSchedules(deps: TendDeps): Promise<void> {
  const before = new Date(Date.now() - HEAL_AFTER_MS).toISOString();
  await eachOf(await deps.store.schedules.untold(before, SCHEDULES_AT_ONCE), AT_ONCE, async (schedule) => {
    await healSchedule(deps, schedule).catch((error: unknown) =>
      deps.logger.warn(
        { error, schedule: schedule.id },
        'Temporal has not heard of a schedule yet; it will be told again',
      ),
    );
  });
}

export async function forgetTicks({ store }: Pick<ApiDeps, 'store'>): Promise<void> {
  await store.scheduleTicks.forgetOld(TICKS_KEPT);
}
