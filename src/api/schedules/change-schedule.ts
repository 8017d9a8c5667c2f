import { isDeepStrictEqual } from 'node:util';
import type { InheritedRedaction, Redaction } from '../../graph/redaction/index.ts';
import type { Overlap, Schedule, ScheduleReference, ScheduleTerms } from '../../store/schedules/schedule.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph } from '../graphs/resolve-graph.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { redactedChannels, nullForApiError } from '../graphs/redacted-channels.ts';
import { refusePlaceholders } from '../redaction.ts';
import type { FireDeps } from './decide-fire.ts';
import { areTimesRefused, orSyncLater, syncSchedule } from './sync-schedule.ts';
import { requirePermission } from '../http/authenticate.ts';
import { pinGraph, requireInput } from '../runs/new-run.ts';

/** The most schedules of a tenant. */
const MAX_SCHEDULES = 1_000;

/**
 * Creates a schedule, first the row, then the schedule in Temporal.
 * @param id a repeated request with the same id creates no second schedule
 * @throws ApiError 403 when its overlap policy cancels runs and the caller may not; 404 when the graph does not exist;
 * 409 when the tenant has too many schedules; 422 when its runs could not start
 */
export async function createSchedule(
  deps: FireDeps,
  caller: Caller,
  id: string,
  terms: ScheduleTerms,
): Promise<Schedule> {
  const { schedules } = deps.store;
  requireCanceling(caller, terms.overlap);
  const reference = { tenantId: caller.tenantId, id };
  const redaction = await checkTerms(deps, reference, terms);
  const change = changeBy(caller);
  const { updatedAt: createdAt, updatedBy: createdBy } = change;
  const made = { ...ownedBy(caller), ...change, revision: 1, createdAt, createdBy };
  const schedule = { ...reference, ...terms, redaction, ...made };
  const addition = await schedules.create(schedule, MAX_SCHEDULES);
  if (addition === 'too-many') throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_SCHEDULES} schedules`);
  try {
    await orSyncLater(deps, reference, async () => await syncSchedule(deps, reference));
  } catch (error) {
    // After any other failure the sweeper sends it again.
    if (addition === 'added' && areTimesRefused(error)) await removeEverywhere(deps, reference);
    throw error;
  }
  return await findSchedule(deps, caller, id);
}

/**
 * Changes a schedule. Pausing or resuming it does not change its owner. Anyone who changes what it does becomes its
 * owner, so that nobody's rights are used to run what others have chosen.
 * @param change omitted fields are not changed
 * @throws ApiError as `createSchedule`; 403 when a user of another tenant changes what it does, or its overlap policy
 * cancels runs and the new owner may not; 409 when somebody else has changed it at the same time
 */
export async function changeSchedule(
  deps: FireDeps,
  caller: Caller,
  id: string,
  change: (schedule: Schedule) => ScheduleTerms,
): Promise<{ readonly schedule: Schedule; readonly hasNewOwner: boolean }> {
  const { schedules } = deps.store;
  const before = await findSchedule(deps, caller, id);
  const terms = change(before);
  const doesOther = !isDeepStrictEqual(deedsOf(before), deedsOf(terms));
  if (doesOther) requireMayOwn(caller, before, terms);
  const hasNewInput = terms.input !== before.input;
  // Any channel may have been hidden from the caller, because the redaction grows when the graph redacts more.
  if (hasNewInput) refusePlaceholders(terms.input, { channels: Object.keys(terms.input) }, ['input']);
  const redaction = mayFailNow(before, terms)
    ? await checkTerms(deps, before, terms, hasNewInput ? {} : { channels: await hiddenChannels(deps, before) })
    : before.redaction;
  const changed = { ...(doesOther && ownedBy(caller)), ...changeBy(caller), revision: before.revision + 1 };
  const after = { ...before, ...terms, redaction, ...changed };
  if (!(await schedules.replace(after)))
    throw new ApiError('NOT_ALLOWED_NOW', 'The schedule has changed in this moment; look again');
  try {
    await orSyncLater(deps, after, async () => await syncSchedule(deps, after));
  } catch (error) {
    await schedules.replace({ ...before, revision: after.revision + 1 });
    throw error;
  }
  return { schedule: await findSchedule(deps, caller, id), hasNewOwner: after.owner !== before.owner };
}

/** Returns what a schedule does and when: everything but whether it is paused. */
function deedsOf({ graph, input, metadata, limits, threadId, cron, every, timeZone, overlap }: ScheduleTerms) {
  return { graph, input, metadata, limits, threadId, cron, every, timeZone, overlap };
}

/** The channels that readers of a schedule don't see: an input that stays is hidden under another graph as before. */
async function hiddenChannels(deps: FireDeps, schedule: Schedule): Promise<readonly string[]> {
  const { tenantId, graph, input, redaction } = schedule;
  const now = await redactedChannels(deps, tenantId, graph).catch(nullForApiError);
  return [...redaction.channels, ...(now ?? Object.keys(input))];
}

/** If the graph is gone, a schedule can still be changed in other fields, so that it can be paused. */
function mayFailNow(before: ScheduleTerms, { graph, input, limits, paused }: ScheduleTerms): boolean {
  const goesOn = before.paused && !paused;
  return goesOn || graph !== before.graph || input !== before.input || limits !== before.limits;
}

/** Deletes a schedule; without one it changes nothing. Its runs go on. */
export async function removeSchedule(deps: FireDeps, caller: Caller, id: string): Promise<void> {
  const schedule = await lookForSchedule(deps, caller, id);
  if (schedule) await removeEverywhere(deps, schedule);
}

/** The sweeper deletes the row later: a request that has read it before may still send it to Temporal. */
async function removeEverywhere(deps: FireDeps, reference: ScheduleReference): Promise<void> {
  await deps.store.schedules.remove(reference);
  await orSyncLater(deps, reference, async () => await deps.engine.schedules.remove(reference));
}

function changeBy({ sub }: Caller): Pick<Schedule, 'updatedAt' | 'updatedBy'> {
  return { updatedAt: new Date().toISOString(), updatedBy: sub };
}

function ownedBy({ sub, roles }: Caller): Pick<Schedule, 'owner' | 'roles'> {
  return { owner: sub, roles };
}

/**
 * @throws ApiError 403 when the schedule belongs to another tenant, as roles do not reach across tenants through a
 * schedule, or when its runs would cancel runs that its owner may not cancel
 */
function requireMayOwn(caller: Caller, { tenantId }: Schedule, { overlap }: ScheduleTerms): void {
  if (caller.tenantId !== tenantId)
    throw new ApiError('FORBIDDEN', 'A schedule of another tenant can be paused, resumed and deleted, but not changed');
  requireCanceling(caller, overlap);
}

/** Only a caller who may cancel runs may choose an overlap policy that cancels them. @throws ApiError 403 */
function requireCanceling(caller: Caller, overlap: Overlap): void {
  if (overlap === 'cancelOther') requirePermission(caller, 'run:control');
}

/**
 * Checks everything for which each run would be refused.
 * @param inherited what is already hidden of the input
 * @returns the redaction of the input
 */
async function checkTerms(
  deps: Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs'>,
  { tenantId, id }: ScheduleReference,
  { graph, input, limits }: ScheduleTerms,
  inherited: InheritedRedaction = {},
): Promise<Redaction> {
  const valid = await resolveGraph(graph, { ...deps, tenantId }, id);
  const pinned = await pinGraph(deps, tenantId, { valid, limits, inherited });
  await requireInput(deps, tenantId, pinned, input);
  if (pinned.limits.refusal) throw toApiError(pinned.limits.refusal);
  return pinned.redaction;
}

/** Finds a schedule of the caller's tenant; admins find those of all tenants. @throws ApiError 404 */
export async function findSchedule({ store }: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<Schedule> {
  const schedule = await lookForSchedule({ store }, caller, id);
  if (!schedule) throw new ApiError('NOT_FOUND', `There is no schedule ${id}`);
  return schedule;
}

/** Finds a schedule as `findSchedule` does. @returns `null` when it does not exist */
async function lookForSchedule(
  { store }: Pick<ApiDeps, 'store'>,
  { tenantId, permissions }: Pick<Caller, 'tenantId' | 'permissions'>,
  id: string,
): Promise<Schedule | null> {
  return await (permissions.has('admin') ? store.schedules.findById(id) : store.schedules.find({ tenantId, id }));
}
