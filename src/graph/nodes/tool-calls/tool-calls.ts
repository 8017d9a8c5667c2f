import type { NodeOfType } from '../../definition/definition.ts';
import { toolCallsOf } from '../../definition/message.ts';
import type { Message, ToolCall } from '../../definition/message.ts';
import type { CallsPosition, Timed } from '../../run/scope.ts';
import { failureIn, isOut, isOver } from '../../run/tool-batch.ts';
import type { Json } from '../../values/json.ts';
import { done, failed, unexpected } from '../behavior.ts';
import type { NodeRunner, Progress, TaskContext } from '../behavior.ts';
import { messagesIn } from '../model/conversation.ts';
import { sharedDeadline } from '../node-deadline.ts';
import type { NodeScope } from '../node-settings.ts';
import { createToolbox } from './callable-tool.ts';
import type { Workplace } from './callable-tool.ts';
import { answersOf, beginBatch, callsToMake, readBatch, readyAgain, takeIn } from './run-batch.ts';
import type { BatchWork } from './run-batch.ts';

/** Makes the tool calls that a channel's last assistant message asks for and that have no answer yet, in parallel. */
export function compileCalls(node: NodeOfType<'tool'>, channel: string, scope: NodeScope): NodeRunner {
  const tools = createToolbox(null, { node, scope, approve: {}, asksForUnsafe: false });
  const deadline = sharedDeadline(node);
  const placeIn = (task: TaskContext, timed: Timed): Workplace => ({
    task,
    tools,
    leftMs: () => deadline.leftMs(timed),
  });
  const goOn = (task: TaskContext, work: Work): Progress => {
    const position: CallsPosition = { kind: 'calls', ...work, ...beginBatch(placeIn(task, work), work) };
    const { batch } = position;
    const failure = failureIn(batch);
    if (failure && !isOut(batch)) return failed(failure, position);
    return isOver(batch) ? finish(channel, answersOf(batch)) : { kind: 'open', position };
  };
  const begin = (task: TaskContext, begun: BatchWork): Progress => {
    const work = { ...begun, ...deadline.begin(task.now) };
    const refusal = task.refuseToolCalls(callsToMake(work.batch));
    return refusal ? failed(refusal, { kind: 'calls', ...work }) : goOn(task, work);
  };
  return {
    start: (task) => begin(task, readBatch(placeIn(task, {}), unanswered(messagesIn(task.bindings.state, channel)), 0)),
    restart(task, position) {
      if (position.kind !== 'calls') throw unexpected(position);
      return begin(task, { batch: readyAgain(position.batch), made: position.made });
    },
    takeLate(task, position, happening) {
      if (position.kind !== 'calls') throw unexpected(position);
      return { ...position, ...takeIn(placeIn(task, position), position, happening) };
    },
    resume(task, position, happening) {
      if (position.kind !== 'calls') throw unexpected(position);
      const { batch, made } = position;
      const timed = deadline.read(position, task.now, isOut(batch));
      return goOn(task, { ...takeIn(placeIn(task, timed), { batch, made }, happening), ...timed });
    },
  };
}

type Work = BatchWork & Timed;

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
