import type { FunctionCallRequest, ModelCallRequest, NodeCallRequest, ToolCallRequest } from '../graph/run/index.ts';
import type { Store } from '../store/store.ts';
import { functionCalls } from './call-function.ts';
import type { RegisteredFunction } from './call-function.ts';
import { modelCalls } from './call-model.ts';
import type { ModelDeps } from './call-model.ts';
import { nodeCalls } from './call-node.ts';
import type { RegisteredNodeType } from './call-node.ts';
import type { CallOutcome, CallTask } from './calls/call-task.ts';
import { toolCalls } from './call-tool.ts';
import { withHeartbeat } from './calls/heartbeat.ts';
import { performCall } from './calls/perform-call.ts';
import { reconcileCall } from './calls/reconcile-call.ts';
import type { CallToReconcile } from './calls/reconcile-call.ts';
import { writeJournal } from './calls/write-journal.ts';
import type { JournalWrite } from './calls/write-journal.ts';
import type { Tool } from './tools/tool.ts';

/** Dependencies of a worker's activities. */
export interface ActivityDeps extends Omit<ModelDeps, 'tools'> {
  readonly store: Store;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly functions: Readonly<Record<string, RegisteredFunction>>;
  readonly nodeTypes?: Readonly<Record<string, RegisteredNodeType>>;
}

/** The side effects of a run. Histories record these names as activity types. */
export interface Activities {
  callModel(task: CallTask<ModelCallRequest>): Promise<CallOutcome>;
  callTool(task: CallTask<ToolCallRequest>): Promise<CallOutcome>;
  callFunction(task: CallTask<FunctionCallRequest>): Promise<CallOutcome>;
  callNode(task: CallTask<NodeCallRequest>): Promise<CallOutcome>;
  /** Finds the outcome of a canceled call without making it. */
  reconcileCall(call: CallToReconcile): Promise<CallOutcome>;
  /** Writes a journal batch that travels without a call. */
  record(entry: JournalWrite): Promise<void>;
}

export function createActivities(deps: ActivityDeps): Activities {
  const { store, tools, functions, nodeTypes = {} } = deps;
  const ofModels = modelCalls(deps);
  const ofTools = toolCalls(tools);
  const ofFunctions = functionCalls(functions);
  const ofNodes = nodeCalls(nodeTypes);
  return {
    callModel: async (task) => await performCall(store, ofModels, task),
    callTool: async (task) => await performCall(store, ofTools, task),
    callNode: async (task) => await performCall(store, ofNodes, task),
    callFunction: async (task) => await performCall(store, ofFunctions, task),
    reconcileCall: async (call) =>
      await withHeartbeat(RECORD_HEARTBEAT_MS, async () => await reconcileCall(store, call)),
    record: async (entry) => await withHeartbeat(RECORD_HEARTBEAT_MS, async () => await writeJournal(store, entry)),
  };
}

const RECORD_HEARTBEAT_MS = 10_000;
