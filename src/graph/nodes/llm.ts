import type { NodeOfType } from '../definition.ts';
import { toMs } from '../duration.ts';
import type { Json } from '../json.ts';
import { toMessage } from './model/answer-message.ts';
import type { Offer } from './model/model-calls.ts';
import { compileModelTurn, isForTurn } from './model/model-turn.ts';
import type { TurnProgress } from './model/model-turn.ts';
import type { NodeScope } from './node-scope.ts';
import { done, failed } from './runner.ts';
import type { NodeRunner, Progress } from './runner.ts';
import { NOTHING_SAID } from './model/talk.ts';
import { timeLeft } from './time-left.ts';
import { unexpected } from './unexpected.ts';

/** One answer of a model: as text, as an object that fits the node's `output` schema, or as requests for tools. */
export function compileLlm(node: NodeOfType<'llm'>, scope: NodeScope): NodeRunner {
  const turn = compileModelTurn(node, scope);
  const { tools = [], deadline } = node;
  const deadlineMs = deadline === undefined || scope.version < 4 ? null : toMs(deadline);
  const offerAt = (now: number, begunAt: number | undefined): Offer => ({
    tools,
    leftMs: () => (begunAt === undefined ? null : timeLeft('node', { deadlineMs, usedMs: now - begunAt })),
  });
  return {
    start(task) {
      const begunAt = deadlineMs === null ? undefined : task.now;
      const progress = turn.ask(task, NOTHING_SAID, offerAt(task.now, begunAt));
      return toProgress(node, progress, begunAt);
    },
    resume(task, position, happening) {
      if (position.kind !== 'llm') throw unexpected(position);
      const { begunAt } = position;
      const offer = offerAt(task.now, begunAt);
      if (position.turn.key === null) return toProgress(node, turn.askAgain(task, position, offer), begunAt);
      if (!isForTurn(happening)) throw unexpected(position);
      return toProgress(node, turn.resume(task, { ...position, offer }, happening), begunAt);
    },
  };
}

function toProgress(node: NodeOfType<'llm'>, progress: TurnProgress, begunAt: number | undefined): Progress {
  switch (progress.kind) {
    case 'asking': {
      const { talk, turn } = progress;
      return { kind: 'open', position: { kind: 'llm', talk, turn, ...(begunAt !== undefined && { begunAt }) } };
    }
    case 'failed':
      return failed(progress.failure);
    case 'answered': {
      const { reply, object, talk, model } = progress;
      const message = toMessage(reply);
      const result: Json = { text: reply.text, object, toolCalls: reply.toolCalls, message, usage: talk.usage, model };
      return done(result, node.messages === undefined ? undefined : { [node.messages]: message });
    }
  }
}
