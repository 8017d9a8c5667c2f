import type { NodeOfType } from '../../definition/definition.ts';
import { activeToolsOf, toolsOf } from '../../definition/graph-tools.ts';
import { toolCallsOf } from '../../definition/message.ts';
import type { Message, ToolCall } from '../../definition/message.ts';
import type { CallsPosition, WithDeadline } from '../../run/scope.ts';
import { failureIn, hasOpenCall, isAnswered } from '../../run/tool-batch.ts';
import type { Json } from '../../values/json.ts';
import { taskDone, taskFailed, unexpectedInput } from '../behavior.ts';
import type { NodeBehavior, TaskProgress, TaskContext } from '../behavior.ts';
import { compileActiveTools } from '../model/choice.ts';
import { messagesOfChannel } from '../model/conversation.ts';
import { leftMsIn, sharedDeadline } from '../node-settings.ts';
import type { NodeSettings } from '../node-settings.ts';
import { createToolbox } from './callable-tool.ts';
import type { ToolBatchContext, ToolsOfNode } from './callable-tool.ts';
import {
  batchAnswers,
  beginBatch,
  callsToMake,
  readBatch,
  resetBatch,
  resumeBatch,
  withdrawOutdatedCalls,
} from './run-batch.ts';
import type { BatchProgress } from './run-batch.ts';

function compileToolbox(node: CallsNode, settings: NodeSettings): ToolsOfNode {
  const offered = toolsOf(node, settings.nodes);
  return createToolbox(
    offered,
    { node, settings, approve: {}, asksForUnsafe: false },
    compileActiveTools({ tools: offered, ...activeToolsOf(node, settings.nodes) }),
  );
}

/** Compiles a `tool` node with `calls`: it makes the unanswered tool calls of a channel's last assistant message. */
export function compileToolCalls(node: CallsNode, settings: NodeSettings): NodeBehavior {
  const { calls: channel } = node;
  const tools = compileToolbox(node, settings);
  const deadline = sharedDeadline(node);
  const contextOf = (task: TaskContext, time: WithDeadline): ToolBatchContext => ({
    task,
    tools,
    leftMs: () => deadline.leftMs(time),
  });
  const continueBatch = (task: TaskContext, progress: TimedProgress): TaskProgress => {
    const position: CallsPosition = { kind: 'calls', ...progress, ...beginBatch(contextOf(task, progress), progress) };
    const { batch } = position;
    const failure = failureIn(batch);
    if (failure && !hasOpenCall(batch)) return taskFailed(failure, position);
    if (isAnswered(batch)) return finishCalls(channel, batchAnswers(batch));
    return { kind: 'open', position: { ...position, ...deadline.run(progress, hasOpenCall(batch), task.now) } };
  };
  const startBatch = (task: TaskContext, batchProgress: BatchProgress): TaskProgress => {
    const progress = { ...batchProgress, ...deadline.begin() };
    const failure = task.findToolBudgetFailure(callsToMake(progress.batch));
    return failure ? taskFailed(failure, { kind: 'calls', ...progress }) : continueBatch(task, progress);
  };
  return {
    start(task) {
      const requested = unansweredCalls(messagesOfChannel(task.bindings.state, channel));
      return startBatch(task, readBatch(contextOf(task, {}), requested, 0));
    },
    restart(task, position) {
      if (position.kind !== 'calls') throw unexpectedInput(position);
      return startBatch(task, { batch: resetBatch(position.batch), callsMade: position.callsMade });
    },
    updateSaved(task, position, input) {
      if (position.kind !== 'calls') throw unexpectedInput(position);
      return { ...position, ...resumeBatch(contextOf(task, position), position, input) };
    },
    withdrawOutdated(task, position, mayCompute) {
      if (position.kind !== 'calls') return null;
      const batch = withdrawOutdatedCalls(contextOf(task, position), position.batch, mayCompute);
      return batch && { ...position, batch };
    },
    resume(task, position, input) {
      if (position.kind !== 'calls') throw unexpectedInput(position);
      const { kind: _kind, countdown: _countdown, ...progress } = position;
      const stopped = deadline.cap(deadline.run(position, false, task.now), leftMsIn(input));
      return continueBatch(task, { ...resumeBatch(contextOf(task, stopped), progress, input), ...stopped });
    },
  };
}

type CallsNode = Extract<NodeOfType<'tool'>, { readonly calls: string }>;

type TimedProgress = BatchProgress & WithDeadline;

function unansweredCalls(messages: readonly Message[]): readonly ToolCall[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const message = messages[last];
  if (!message) return [];
  const answered = new Set(messages.slice(last + 1).map((answer) => answer['toolCallId']));
  return toolCallsOf(message).filter(({ id }) => !answered.has(id));
}

function finishCalls(channel: string, answers: readonly Json[]): TaskProgress {
  return taskDone(answers, answers.length === 0 ? undefined : { [channel]: answers });
}
