import type {
  CallRequest,
  FunctionCallRequest,
  ModelCallRequest,
  NodeCallRequest,
  ReadingRequest,
  ToolCallRequest,
} from '../graph/run/index.ts';
import type { JournalBatch } from '../graph/journal/index.ts';
import type { Store } from '../store/store.ts';
import { createOpenProgress } from './open-progress.ts';
import { functionCalls, nodeCalls, createReadings, toolCalls } from './tool-calls.ts';
import type { RegisteredFunction, RegisteredNodeType } from './registered-code.ts';
import { modelCalls } from './model-calls.ts';
import type { ModelDeps } from './model-calls.ts';
import { inCallSlot, findSwitchOfCall, whenSwitchedOn } from './calls/call-admission.ts';
import type { CallSlots } from './calls/call-admission.ts';
import type { ParentLogger } from './calls/call-logger.ts';
import type { CallOutcome, CallTask, LocalOutcome, SentTask } from './calls/call-task.ts';
import { createFileKeeper } from './files/keep-file.ts';
import { inFileSlot } from './files/open-prompt-files.ts';
import { withHeartbeat } from './calls/time-limit.ts';
import { performCall } from './calls/perform-call.ts';
import { performLocally } from './calls/perform-locally.ts';
import type { CallBehavior } from './calls/make-attempt.ts';
import { reconcileCall } from './calls/reconcile-call.ts';
import type { CallToReconcile } from './calls/reconcile-call.ts';
import { emitSegments, writeJournal } from './calls/write-journal.ts';
import type { JournalWrite } from './calls/write-journal.ts';
import type { ScheduleActivities } from './record-fire.ts';
import type { Tool } from './tools/tool.ts';

/** Dependencies of a worker's activities. */
export interface ActivityDeps extends Omit<ModelDeps, 'tools'> {
  readonly store: Store;
  /** The slots for calls. */
  readonly slots: CallSlots;
  /** The additional slots for prompts with files. */
  readonly fileSlots: CallSlots;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly functions: Readonly<Record<string, RegisteredFunction>>;
  readonly nodeTypes?: Readonly<Record<string, RegisteredNodeType>>;
  /** True if spans of calls contain requests and answers of runs without redaction; false by default. */
  readonly showsContents?: boolean;
  /** The log for code of the configuration; discarded by default. */
  readonly logger?: ParentLogger;
}

/** The calls of a run. Histories record these names, and those of the journal's, as activity types. */
export interface CallActivities {
  callModel(task: SentTask<ModelCallRequest>, journal?: JournalBatch | null): Promise<CallOutcome>;
  callTool(task: SentTask<ToolCallRequest>, journal?: JournalBatch | null): Promise<CallOutcome>;
  callFunction(task: SentTask<FunctionCallRequest>, journal?: JournalBatch | null): Promise<CallOutcome>;
  callNode(task: SentTask<NodeCallRequest>, journal?: JournalBatch | null): Promise<CallOutcome>;
  /** Reads arguments with a tool's own schema. */
  readArguments(task: SentTask<ReadingRequest>, journal?: JournalBatch | null): Promise<CallOutcome>;
  /** Makes a short idempotent call as a local activity. */
  callLocally(task: SentTask<LocalCallRequest>): Promise<LocalOutcome>;
}

type LocalCallRequest = Exclude<CallRequest, ModelCallRequest>;

/** The engine's own work in the store. */
export interface JournalActivities {
  /** Finds the outcome of a call that was canceled or given up, without making it. */
  reconcileCall(call: CallToReconcile): Promise<CallOutcome>;
  /** Writes a journal batch that travels without a call. */
  record(entry: Omit<JournalWrite, 'journal'>, journal: JournalBatch): Promise<void>;
}

/** The side effects of runs and schedules. */
export interface Activities extends CallActivities, JournalActivities, ScheduleActivities {}

export function createCallActivities(deps: ActivityDeps): CallActivities {
  const { store, tools, functions, nodeTypes = {}, showsContents = false, logger } = deps;
  const ofModels = { ...modelCalls(deps), showsContents };
  const openProgress = createOpenProgress(deps.publishDeltas ?? (() => undefined));
  const ofTools = { ...toolCalls(tools, logger, createFileKeeper(store.files), openProgress), showsContents };
  const ofReadings = { ...createReadings(tools), showsContents };
  const ofFunctions = { ...functionCalls(functions, logger, openProgress), showsContents };
  const ofNodes = { ...nodeCalls(nodeTypes, logger), showsContents };
  const perform = async <R extends CallRequest>(kind: CallBehavior<R>, task: CallTask<R>): Promise<CallOutcome> =>
    await inCallSlot(deps.slots, store, task, async () => await performCall(store, kind, task));
  const locally = async <R extends CallRequest>(kind: CallBehavior<R>, task: CallTask<R>): Promise<LocalOutcome> =>
    (await findSwitchOfCall(store, task)) ? leftToActivity() : await performLocally(deps.slots, kind, task);
  const performer =
    <R extends CallRequest>(kind: CallBehavior<R>) =>
    async (sent: SentTask<R>, journal: JournalBatch | null = null): Promise<CallOutcome> => {
      const task = { ...sent, journal };
      return await whenSwitchedOn(store, task, async () => await perform(kind, task));
    };
  return {
    callModel: async (sent, journal = null) => {
      const task = { ...sent, journal };
      const call = async () => await perform(ofModels, task);
      return await whenSwitchedOn(store, task, async () => await inFileSlot(deps.fileSlots, store, task, call));
    },
    callTool: performer(ofTools),
    readArguments: performer(ofReadings),
    callNode: performer(ofNodes),
    callFunction: performer(ofFunctions),
    callLocally: async (sent) => {
      const { request } = sent;
      const task = { ...sent, journal: null };
      switch (request.kind) {
        case 'tool':
          return await locally(ofTools, { ...task, request });
        case 'function':
          return await locally(ofFunctions, { ...task, request });
        case 'node':
          return await locally(ofNodes, { ...task, request });
        case 'reading':
          return await locally(ofReadings, { ...task, request });
      }
    },
  };
}

/** The end of a local call that waits for a switch: an activity continues it. */
function leftToActivity(): LocalOutcome {
  const now = Date.now();
  return { kind: 'left', failed: null, startedAt: now, endedAt: now };
}

export function createJournalActivities({ store }: Pick<ActivityDeps, 'store'>): JournalActivities {
  return {
    reconcileCall: async (call) =>
      await withHeartbeat(RECORD_HEARTBEAT_MS, async () => await reconcileCall(store, call)),
    record: async (sent, journal) =>
      await withHeartbeat(RECORD_HEARTBEAT_MS, async () => {
        const entry = { ...sent, journal };
        await writeJournal(store, entry);
        await emitSegments(store, entry);
      }),
  };
}

const RECORD_HEARTBEAT_MS = 10_000;
