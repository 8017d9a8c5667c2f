import type { NodeOfType } from '../definition/definition.ts';
import { EMPTY_CONVERSATION } from '../run/model-turn.ts';
import type { WithDeadline } from '../run/scope.ts';
import type { Json } from '../values/json.ts';
import { taskDone, taskFailed, unexpectedInput } from './behavior.ts';
import type { NodeBehavior, TaskContext, TaskProgress } from './behavior.ts';
import { compileActiveTools } from './model/choice.ts';
import { toAssistantMessage } from './model/conversation.ts';
import type { ModelOffer } from './model/model-calls.ts';
import { compileModelTurn, isTurnInput } from './model/model-turn.ts';
import type { FinishedTurn, TurnProgress } from './model/model-turn.ts';
import { sharedDeadline } from './node-settings.ts';
import type { NodeSettings } from './node-settings.ts';

/** Compiles an `llm` node: one model turn, for text, an object that fits `output`, or requests for tools. */
export function compileLlm(node: NodeOfType<'llm'>, settings: NodeSettings): NodeBehavior {
  const turn = compileModelTurn(node, settings);
  const deadline = sharedDeadline(node);
  const activeNames = compileActiveTools(node);
  const offerAt = (time: WithDeadline, { bindings }: TaskContext): ModelOffer => {
    const tools = activeNames(bindings);
    return { tools, choice: tools.length === 0 ? 'none' : node.toolChoice, leftMs: () => deadline.leftMs(time) };
  };
  return {
    start(task) {
      const time = deadline.begin();
      const progress = turn.ask(task, EMPTY_CONVERSATION, offerAt(time, task));
      return progressOfTurn(node, progress, deadline.run(time, true, task.now));
    },
    resume(task, position, input) {
      if (position.kind !== 'llm') throw unexpectedInput(position);
      const stopped = deadline.run(position, false, task.now);
      const running = deadline.run(stopped, true, task.now);
      const offer = offerAt(stopped, task);
      if (position.turn.key === null) return progressOfTurn(node, turn.askAgain(task, position, offer), running);
      if (!isTurnInput(input)) throw unexpectedInput(position);
      return progressOfTurn(node, turn.resume(task, position, offer, input), running);
    },
  };
}

function progressOfTurn(node: NodeOfType<'llm'>, progress: TurnProgress, time: WithDeadline): TaskProgress {
  switch (progress.kind) {
    case 'asking': {
      const { conversation, turn } = progress;
      return { kind: 'open', position: { kind: 'llm', conversation, turn, ...time } };
    }
    case 'failed':
      return taskFailed(progress.failure);
    case 'answered':
      return finishLlm(node, progress);
  }
}

function finishLlm(node: NodeOfType<'llm'>, { reply, object, conversation, model }: FinishedTurn): TaskProgress {
  const { text, toolCalls, finishReason } = reply;
  const message = toAssistantMessage(reply);
  const result: Json = { text, object, toolCalls, message, finishReason, usage: conversation.usage, model };
  return taskDone(result, node.messages === undefined ? undefined : { [node.messages]: message });
}
