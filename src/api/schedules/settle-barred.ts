import type { Schedule, Tick } from '../../store/schedules/schedule.ts';
import { ApiError } from '../http/errors.ts';
import { requireGraphOn } from '../switches/require-graph-on.ts';
import { requireMayStart } from '../tenants/require-may-start.ts';
import type { ApiDeps } from '../deps.ts';
import { barTick } from './bar-tick.ts';

type BarDeps = Pick<ApiDeps, 'store' | 'settings'>;

interface WaitingTicks {
  readonly schedule: Schedule;
  /** The oldest first. */
  readonly ticks: readonly Tick[];
  /** When nothing more is begun. */
  readonly endsAt: number;
}

/** The ticks that wait for other runs of the schedule alone, or for a quota. */
interface OpenTicks {
  readonly ticks: readonly Tick[];
  /** No run may begin at the moment. */
  readonly isClosed: boolean;
}

/** Settles the ticks that start no run, whatever other runs of the schedule do, so that they get in the way of no other tick. */
export async function settleBarred(deps: BarDeps, { schedule, ticks, endsAt }: WaitingTicks): Promise<OpenTicks> {
  const { runs, scheduleTicks } = deps.store;
  const refusal = ticks.length === 0 ? null : await findRefusal(deps, schedule);
  const bars = { roles: deps.settings.roles, refusal };
  const open: Tick[] = [];
  for (const tick of ticks) {
    if (Date.now() >= endsAt) break;
    const result = barTick(schedule, tick.kind, bars);
    const mayBegin = !result && !refusal;
    const known = !mayBegin && (await runs.find(tick.runId)) ? ({ outcome: 'started' } as const) : result;
    if (known) await scheduleTicks.settle(schedule, tick, known);
    else open.push(tick);
  }
  return { ticks: open, isClosed: refusal !== null };
}

/** @returns why no run of the schedule may begin at the moment; `null`: one may */
async function findRefusal(deps: BarDeps, { tenantId, graph }: Schedule): Promise<ApiError | null> {
  const [name = graph] = graph.split('@');
  try {
    await requireMayStart(deps, { tenantId, id: NO_RUN });
    await requireGraphOn(deps, { name, tenantId });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** All runs count against the quota. */
const NO_RUN = '';
