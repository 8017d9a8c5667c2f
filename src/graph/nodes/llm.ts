import type { NodeOfType } from '../definition/definition.ts';
import { EMPTY_CONVERSATION } from '../run/model-turn.ts';
import type { WithStopwatch } from '../run/scope.ts';
import type { Json } from '../values/json.ts';
import { done, failed, unexpected } from './behavior.ts';
import type { NodeBehavior, Progress } from './behavior.ts';
import { toMessage } from './model/conversation.ts';
import type { Offer } from './model/model-calls.ts';
import { compileModelTurn, isTurnInput } from './model/model-turn.ts';
import type { FinishedTurn, TurnProgress } from './model/model-turn.ts';
import { sharedDeadline } from './node-deadline.ts';
import type { NodeSettings } from './node-settings.ts';

/** Compiles an `llm` node: one model turn, for text, an object that fits `output`, or requests for tools. */
export function compileLlm(node: NodeOfType<'llm'>, settings: NodeSettings): NodeBehavior {
  const turn = compileModelTurn(node, settings);
  const deadline = sharedDeadline(node);
  const offerAt = (time: WithStopwatch): Offer => ({ tools: node.tools ?? [], leftMs: () => deadline.leftMs(time) });
  return {
    start(task) {
      const time = deadline.begin(task.now);
      return toProgress(node, turn.ask(task, EMPTY_CONVERSATION, offerAt(time)), time);
    },
    resume(task, position, input) {
      if (position.kind !== 'llm') throw unexpected(position);
      const time = deadline.read(position, task.now, true);
      const offer = offerAt(time);
      if (position.turn.key === null) return toProgress(node, turn.askAgain(task, position, offer), time);
      if (!isTurnInput(input)) throw unexpected(position);
      return toProgress(node, turn.resume(task, { ...position, offer }, input), time);
    },
  };
}

function toProgress(node: NodeOfType<'llm'>, progress: TurnProgress, time: WithStopwatch): Progress {
  switch (progress.kind) {
    case 'asking': {
      const { conversation, turn } = progress;
      return { kind: 'open', position: { kind: 'llm', conversation, turn, ...time } };
    }
    case 'failed':
      return failed(progress.failure);
    case 'answered':
      return finish(node, progress);
  }
}

function finish(node: NodeOfType<'llm'>, { reply, object, conversation, model }: FinishedTurn): Progress {
  const { text, toolCalls } = reply;
  const message = toMessage(reply);
  const result: Json = { text, object, toolCalls, message, usage: conversation.usage, model };
  return done(result, node.messages === undefined ? undefined : { [node.messages]: message });
}
