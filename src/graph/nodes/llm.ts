import type { NodeOfType } from '../definition.ts';
import type { Json } from '../json.ts';
import { toMessage } from './model/answer-message.ts';
import { compileModelTurn, isForTurn } from './model/model-turn.ts';
import type { TurnProgress } from './model/model-turn.ts';
import type { Offer } from './model/model-calls.ts';
import type { NodeScope } from './node-scope.ts';
import type { LlmPosition, Stopwatch } from './position.ts';
import { done, failed } from './runner.ts';
import type { NodeRunner, Progress } from './runner.ts';
import { readStopwatch, sharedDeadline, startStopwatch, timeLeft } from './stopwatch.ts';
import { NOTHING_SAID } from './model/talk.ts';
import { unexpected } from './unexpected.ts';

/** One answer of a model: as text, as an object that fits the node's `output` schema, or as requests for tools. */
export function compileLlm(node: NodeOfType<'llm'>, scope: NodeScope): NodeRunner {
  const turn = compileModelTurn(node, scope);
  const deadlineMs = sharedDeadline(node, scope);
  const offerAt = (stopwatch: Stopwatch): Offer => ({
    tools: node.tools ?? [],
    leftMs: () => timeLeft('llm', deadlineMs, stopwatch),
  });
  const timed = (stopwatch: Stopwatch): Timed => (deadlineMs === null ? {} : { stopwatch });
  return {
    start(task) {
      const stopwatch = startStopwatch(task.now);
      return toProgress(node, turn.ask(task, NOTHING_SAID, offerAt(stopwatch)), timed(stopwatch));
    },
    resume(task, position, happening) {
      if (position.kind !== 'llm') throw unexpected(position);
      const { turn: at, stopwatch: before = startStopwatch(task.now) } = position;
      const stopwatch = readStopwatch(before, task.now, true);
      const offer = offerAt(stopwatch);
      if (at.key === null) return toProgress(node, turn.askAgain(task, position, offer), timed(stopwatch));
      if (!isForTurn(happening)) throw unexpected(position);
      return toProgress(node, turn.resume(task, { ...position, offer }, happening), timed(stopwatch));
    },
  };
}

type Timed = Pick<LlmPosition, 'stopwatch'>;

function toProgress(node: NodeOfType<'llm'>, progress: TurnProgress, timed: Timed): Progress {
  switch (progress.kind) {
    case 'asking':
      return { kind: 'open', position: { kind: 'llm', talk: progress.talk, turn: progress.turn, ...timed } };
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
