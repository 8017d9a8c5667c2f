import type { NodeOfType } from '../definition/definition.ts';
import type { Json } from '../values/json.ts';
import { toMessage } from './model/conversation.ts';
import { compileModelTurn, isForTurn } from './model/model-turn.ts';
import type { TurnProgress } from './model/model-turn.ts';
import type { Offer } from './model/model-calls.ts';
import type { NodeSettings } from './node-settings.ts';
import type { WithDeadline } from '../run/scope.ts';
import { done, failed, unexpected } from './behavior.ts';
import type { NodeBehavior, Progress } from './behavior.ts';
import { sharedDeadline } from './node-deadline.ts';
import { EMPTY_CONVERSATION } from '../run/model-turn.ts';

/** One answer of a model: as text, as an object that fits the node's `output` schema, or as requests for tools. */
export function compileLlm(node: NodeOfType<'llm'>, scope: NodeSettings): NodeBehavior {
  const turn = compileModelTurn(node, scope);
  const deadline = sharedDeadline(node);
  const offerAt = (timed: WithDeadline): Offer => ({ tools: node.tools ?? [], leftMs: () => deadline.leftMs(timed) });
  return {
    start(task) {
      const timed = deadline.begin();
      const progress = turn.ask(task, EMPTY_CONVERSATION, offerAt(timed));
      return toProgress(node, progress, deadline.run(timed, true, task.now));
    },
    resume(task, position, happening) {
      if (position.kind !== 'llm') throw unexpected(position);
      const timed = deadline.run(position, false, task.now);
      const running = deadline.run(timed, true, task.now);
      const offer = offerAt(timed);
      if (position.turn.key === null) return toProgress(node, turn.askAgain(task, position, offer), running);
      if (!isForTurn(happening)) throw unexpected(position);
      return toProgress(node, turn.resume(task, { ...position, offer }, happening), running);
    },
  };
}

function toProgress(node: NodeOfType<'llm'>, progress: TurnProgress, timed: WithDeadline): Progress {
  switch (progress.kind) {
    case 'asking':
      return {
        kind: 'open',
        position: { kind: 'llm', conversation: progress.conversation, turn: progress.turn, ...timed },
      };
    case 'failed':
      return failed(progress.failure);
    case 'answered': {
      const { reply, object, conversation, model } = progress;
      const message = toMessage(reply);
      const result: Json = {
        text: reply.text,
        object,
        toolCalls: reply.toolCalls,
        message,
        usage: conversation.usage,
        model,
      };
      return done(result, node.messages === undefined ? undefined : { [node.messages]: message });
    }
  }
}
