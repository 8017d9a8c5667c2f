import type { NodeOfType } from '../../definition/definition.ts';
import { toolCallsOf } from '../../definition/message.ts';
import type { Message, ToolCall } from '../../definition/message.ts';
import type { CallsPosition, WithDeadline } from '../../run/scope.ts';
import { failureIn, hasOpenCall, isAnswered } from '../../run/tool-batch.ts';
import type { Json } from '../../values/json.ts';
import { done, failed, unexpected } from '../behavior.ts';
import type { NodeBehavior, Progress, TaskContext } from '../behavior.ts';
import { messagesIn } from '../model/conversation.ts';
import { sharedDeadline } from '../node-deadline.ts';
import type { NodeSettings } from '../node-settings.ts';
import { createToolbox } from './callable-tool.ts';
import type { ToolBatchContext } from './callable-tool.ts';
import { answersOf, beginBatch, callsToMake, readBatch, readyAgain, resumeBatch } from './run-batch.ts';
import type { BatchWork } from './run-batch.ts';

/** Makes the tool calls that a channel's last assistant message asks for and that have no answer yet, in parallel. */
export function compileCalls(node: NodeOfType<'tool'>, channel: string, scope: NodeSettings): NodeBehavior {
  const tools = createToolbox(null, { node, scope, approve: {}, asksForUnsafe: false });
  const deadline = sharedDeadline(node);
  const placeIn = (task: TaskContext, timed: WithDeadline): ToolBatchContext => ({
    task,
    tools,
    leftMs: () => deadline.leftMs(timed),
  });
  const goOn = (task: TaskContext, work: Work): Progress => {
    const position: CallsPosition = { kind: 'calls', ...work, ...beginBatch(placeIn(task, work), work) };
    const { batch } = position;
    const failure = failureIn(batch);
    if (failure && !hasOpenCall(batch)) return failed(failure, position);
    if (isAnswered(batch)) return finish(channel, answersOf(batch));
    return { kind: 'open', position: { ...position, ...deadline.run(work, hasOpenCall(batch), task.now) } };
  };
  const begin = (task: TaskContext, begun: BatchWork): Progress => {
    const work = { ...begun, ...deadline.begin() };
    const refusal = task.refuseToolCalls(callsToMake(work.batch));
    return refusal ? failed(refusal, { kind: 'calls', ...work }) : goOn(task, work);
  };
  return {
    start: (task) => begin(task, readBatch(placeIn(task, {}), unanswered(messagesIn(task.bindings.state, channel)), 0)),
    restart(task, position) {
      if (position.kind !== 'calls') throw unexpected(position);
      return begin(task, { batch: readyAgain(position.batch), callsMade: position.callsMade });
    },
    keepLate(task, position, happening) {
      if (position.kind !== 'calls') throw unexpected(position);
      return { ...position, ...resumeBatch(placeIn(task, position), position, happening) };
    },
    resume(task, position, happening) {
      if (position.kind !== 'calls') throw unexpected(position);
      const { batch, callsMade } = position;
      const timed = deadline.run(position, false, task.now);
      return goOn(task, { ...resumeBatch(placeIn(task, timed), { batch, callsMade }, happening), ...timed });
    },
  };
}

type Work = BatchWork & WithDeadline;

function unanswered(messages: readonly Message[]): readonly ToolCall[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const message = messages[last];
  if (!message) return [];
  const answers = new Set(messages.slice(last + 1).map((answer) => answer['toolCallId']));
  return toolCallsOf(message).filter(({ id }) => !answers.has(id));
}

function finish(channel: string, answers: readonly Json[]): Progress {
  return done(answers, answers.length === 0 ? undefined : { [channel]: answers });
}
