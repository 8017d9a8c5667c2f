import { NOT_BEGUN } from '../../graph/journal/index.ts';
import type { RunEvent } from '../../graph/journal/index.ts';
import { deepEqual, own } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { StoredCheckpoint } from '../../store/checkpoints.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import { isStart } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';

/** Compares two runs: their last common checkpoint, and their nodes, decisions and channels since then. */
export async function diffRuns({ store }: Pick<ApiDeps, 'store'>, one: RunRecord, other: RunRecord) {
  const [ours, theirs] = await Promise.all([lineageOf(store, one.id), lineageOf(store, other.id)]);
  const common = await commonPoint(store, ours, theirs);
  const [left, right] = await Promise.all([
    sideOfDiff(store, one, checkpointsSince(ours, common)),
    sideOfDiff(store, other, checkpointsSince(theirs, common)),
  ]);
  return {
    common: common && { runId: common.runId, checkpoint: common.id, step: common.step },
    left: left.summary,
    right: right.summary,
    state: differingChannels(left.values, right.values),
  };
}

/** A run of a lineage with its events up to the fork; the last entry is the compared run itself. */
interface LineagePart {
  readonly runId: string;
  readonly upTo: number;
}

const TO_THE_END = 2_147_483_647;

async function lineageOf(store: Store, runId: string): Promise<readonly LineagePart[]> {
  const lineage: LineagePart[] = [{ runId, upTo: TO_THE_END }];
  for (let from = await forkPointOf(store, runId); from; from = await forkPointOf(store, from.runId))
    lineage.unshift({ runId: from.runId, upTo: from.seq });
  return lineage;
}

/** Returns the checkpoint from which a fork started, if it still exists. */
async function forkPointOf({ runs, checkpoints }: Store, runId: string): Promise<StoredCheckpoint | null> {
  const start: unknown = await runs.startOf(runId);
  if (!isStart(start) || start.begin.kind !== 'fork') return null;
  const { parent } = start.begin.fork;
  return await checkpoints.find(parent.runId, parent.checkpoint);
}

async function commonPoint(
  { checkpoints }: Store,
  ours: readonly LineagePart[],
  theirs: readonly LineagePart[],
): Promise<StoredCheckpoint | null> {
  const shared = ours.filter(({ runId }, at) => theirs[at]?.runId === runId);
  const last = shared.at(-1);
  if (!last) return null;
  const upTo = Math.min(last.upTo, theirs[shared.length - 1]?.upTo ?? 0);
  return await checkpoints.lastUpTo(last.runId, upTo);
}

/** Returns the part of a lineage after a checkpoint. */
function checkpointsSince(
  lineage: readonly LineagePart[],
  point: StoredCheckpoint | null,
): readonly (LineagePart & { after: number })[] {
  const at = point ? lineage.findIndex(({ runId }) => runId === point.runId) : 0;
  return lineage.slice(at).map((part, index) => ({ ...part, after: index === 0 && point ? point.seq : 0 }));
}

/** The most supersteps and decisions of each side that an answer contains. */
const MAX_EVENTS = 10_000;

async function sideOfDiff(store: Store, run: RunRecord, parts: readonly (LineagePart & { after: number })[]) {
  const events = await firstItems(eventsIn(store, parts), MAX_EVENTS + 1);
  const isComplete = events.length <= MAX_EVENTS;
  if (!isComplete) events.pop();
  const state = await store.checkpoints.at(run.id, null);
  const { usage } = run.view ?? NOT_BEGUN;
  const summary = {
    runId: run.id,
    status: run.status,
    path: events.flatMap((event) => (event.type === 'step.started' && !event.path ? [event.nodes] : [])),
    decisions: events.flatMap(decisionFields),
    isComplete,
    usage,
  };
  return { summary, values: state?.channels ?? {} };
}

async function* eventsIn({ journal }: Store, parts: readonly (LineagePart & { after: number })[]) {
  for (const { runId, after, upTo } of parts)
    yield* journal.ofTypes(runId, ['step.started', 'approval.decided'], { after, upTo });
}

async function firstItems<T>(items: AsyncIterable<T>, most: number): Promise<T[]> {
  const first: T[] = [];
  for await (const item of items) if (first.push(item) === most) break;
  return first;
}

function decisionFields(event: RunEvent) {
  if (event.type !== 'approval.decided') return [];
  const { node, approvalId, decision, by, reason, at } = event;
  return [{ node, approvalId, decision, by, reason, at }];
}

function differingChannels(left: JsonObject, right: JsonObject) {
  const channels = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return channels.flatMap((channel) => {
    const [one, other] = [own(left, channel) ?? null, own(right, channel) ?? null];
    return deepEqual(one, other) ? [] : [{ channel, left: one, right: other }];
  });
}
