import type { RunBeginning } from '../../graph/advance/index.ts';
import { journalBatch, toRunView } from '../../graph/journal/index.ts';
import type { JournalBatch, RunView, RunEvent } from '../../graph/journal/index.ts';
import { inheritedByReplay } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { hasEnded, isEnded } from '../../graph/run/index.ts';
import type { Divergence, ReplayedRun, ReplayLog, Recording } from '../../graph/replay/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { KeptDivergence } from '../../store/column-values.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import { redactEvent } from '../redaction.ts';
import { firstBeginning } from './dispatch-run.ts';
import type { Store } from '../../store/store.ts';
import { newRun, pinnedByRun, requireInput, readRunStart } from './new-run.ts';

export interface WantedReplay {
  /** The id of the new run. A repeated request with the same id creates no second run. */
  readonly id: string;
  /** `null` for the graph of the recorded run. */
  readonly graph: Json;
  /** `null` for the input of the recorded run. */
  readonly input: JsonObject | null;
}

/**
 * Creates a new run from the recorded results of another one, without making calls or requesting approvals.
 * @throws ApiError 409 when the recorded run has not ended or is too large; 422 when the graph does not accept the
 * input
 */
export async function replayRun(
  deps: Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs' | 'fingerprints'>,
  caller: Caller,
  run: RunRecord,
  { id, graph, input }: WantedReplay,
): Promise<void> {
  const { start, pinned } = await pinnedByRun(deps, run, {
    graph,
    runId: id,
    inherit: (redaction, begin) => inheritedByReplay(redaction, begin.kind === 'fork' ? begin.fork.resumePoint : null),
  });
  const log = renameRunIn(await readReplayLog(deps.store, run), run.id, id);
  const own = await firstBeginning(deps.store, start, run.predecessorId);
  const begin = input === null ? own : withInput(own, input);
  if (input !== null) await requireInput(deps, caller.tenantId, pinned, input);
  const identity = { ...start.identity, id, graph: pinned.graph };
  const replayed = await deps.graphJobs.do('replay', caller.tenantId, toRunnable(pinned), identity, begin, log);
  const record = newRun(pinned, {
    identity,
    begin,
    replay: {
      of: run.id,
      divergence: storeReplay(
        replayed.divergence,
        { recorded: run.redaction, replayed: pinned.redaction },
        deps.fingerprints,
      ),
    },
    input: input ?? run.input,
    limits: run.limits,
    metadata: run.metadata,
    createdBy: caller.sub,
  });
  await deps.store.runs.createEnded(record, toJournalBatches(replayed));
}

/**
 * Redacts a divergence. The recorded event and the replayed one are redacted separately, because the two runs may hide
 * different values.
 */
function storeReplay(
  divergence: Divergence | null,
  { recorded, replayed }: Readonly<Record<'recorded' | 'replayed', Redaction>>,
  fingerprints: ApiDeps['fingerprints'],
): KeptDivergence | null {
  if (!divergence) return null;
  const { expected, actual } = divergence;
  const redacted = {
    expected: expected && redactEvent(expected, { ...recorded, stacks: true }, fingerprints),
    actual: actual && redactEvent(actual, { ...replayed, stacks: true }, fingerprints),
  };
  return { ...divergence, redacted };
}

/** @throws ApiError 422 when the run is a fork, which has no input */
function withInput(begin: RunBeginning, input: JsonObject): RunBeginning {
  if (begin.kind !== 'input') {
    const message = 'The run is a fork: it began with a state, not with an input';
    throw new ApiError('INVALID_INPUT', message, { issues: [{ path: '/input', message }] });
  }
  return { ...begin, input };
}

/** Replaces the run id in recorded ids and keys with the id of the replay. */
function renameRunIn(log: ReplayLog, from: string, to: string): ReplayLog {
  const rename = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(from, to));
  const { events, occurrences, answers } = log;
  return { events: rename(events), occurrences: rename(occurrences), answers: new Map(rename([...answers])) };
}

const PAGE = 1_000;

/** A replay that stops before the recorded run's end has failed, because no recorded result lets it continue. */
function endOfReplay({ run, events, divergence }: ReplayedRun): RunView {
  const view = toRunView(run);
  if (hasEnded(run)) return view;
  const message = `Nothing was recorded that takes the replay on; it left the recording at event ${divergence?.seq ?? 0}`;
  const endedAt = events.at(-1)?.at ?? null;
  return { ...view, status: 'failed', endedAt, waitingFor: [], error: { code: 'REPLAY_DIVERGED', message } };
}

function toJournalBatches(replayed: ReplayedRun): readonly JournalBatch[] {
  const { events, checkpoints, approvals, occurrences } = replayed;
  const view = endOfReplay(replayed);
  return Array.from({ length: Math.ceil(events.length / PAGE) }, (_, rank) => {
    const slice = events.slice(rank * PAGE, (rank + 1) * PAGE);
    const numbers = new Set(slice.map(({ seq }) => seq));
    const isLast = (rank + 1) * PAGE >= events.length;
    return journalBatch({
      events: slice,
      checkpoints: checkpoints.filter(({ seq }) => numbers.has(seq)),
      approvals: isLast ? approvals : [],
      occurrences: isLast ? occurrences : [],
      view,
    });
  });
}

/** The most records of a run that can be replayed, because its log is held in memory. */
const MAX_RECORDED = 50_000;
const MAX_RECORDED_BYTES = 64 * 1_048_576;

/** Reads the log of a run. @throws ApiError 409 when the run has not ended or is too large */
async function readReplayLog({ journal, ledger }: Store, run: RunRecord): Promise<ReplayLog> {
  if (!isEnded(run.status)) throw cannotBeReplayed(`The run is ${run.status}; its log is whole when it has ended`);
  if (run.lastSeq > MAX_RECORDED)
    throw cannotBeReplayed(`The run has ${run.lastSeq} events; up to ${MAX_RECORDED} can be replayed`);
  const bytes = await journal.recordedBytes(run.id);
  if (bytes > MAX_RECORDED_BYTES)
    throw cannotBeReplayed(
      `The run has ${bytes} bytes of events and answers; up to ${MAX_RECORDED_BYTES} can be replayed`,
    );
  const events: RunEvent[] = [];
  for (let page = await journal.events(run.id, 0, LOG_PAGE); page.length > 0;) {
    events.push(...page);
    page = await journal.events(run.id, events.length, LOG_PAGE);
  }
  const [occurrences, answers] = await Promise.all([journal.occurrences(run.id), ledger.answers(run.id)]);
  return { events, occurrences, answers };
}

const LOG_PAGE = 1_000;

function cannotBeReplayed(message: string): ApiError {
  return new ApiError('NOT_ALLOWED_NOW', message);
}

/**
 * Reads everything that is needed to replay an ended run: its pinned graph, its beginning and its log.
 * @throws ApiError 409 when the run has not ended or is too large
 */
export async function readRecording(deps: Pick<ApiDeps, 'store'>, run: RunRecord): Promise<Recording> {
  const log = await readReplayLog(deps.store, run);
  const start = await readRunStart(deps, run);
  const { identity, definition, catalog } = start;
  return {
    identity,
    definition,
    catalog,
    redaction: run.redaction,
    begin: await firstBeginning(deps.store, start, run.predecessorId),
    ...log,
    answers: Object.fromEntries(log.answers),
  };
}
