import type { NodeOfType } from '../definition/definition.ts';
import type { ModelReply } from '../run/effect.ts';
import type { Principal } from '../run/principal.ts';
import { toMessage } from './model/conversation.ts';
import { compileModelTurn, isForTurn } from './model/model-turn.ts';
import type { FinishedTurn, ModelTurn, TurnProgress } from './model/model-turn.ts';
import type { Offer } from './model/model-calls.ts';
import type { NodeSettings } from './node-settings.ts';
import { failureIn, hasOpenCall, isAnswered } from '../run/tool-batch.ts';
import type { AgentPosition } from '../run/scope.ts';
import { done, failed, savingProgress, unexpected } from './behavior.ts';
import type { TaskInput, NodeBehavior, Progress, TaskContext } from './behavior.ts';
import { sharedDeadline } from './node-deadline.ts';
import type { SharedDeadline } from './node-deadline.ts';
import { EMPTY_CONVERSATION } from '../run/model-turn.ts';
import { answersOf, beginBatch, callsToMake, readBatch, readyAgain, resumeBatch } from './tool-calls/run-batch.ts';
import type { BatchWork } from './tool-calls/run-batch.ts';
import type { Toolbox, ToolBatchContext } from './tool-calls/callable-tool.ts';
import { createToolbox } from './tool-calls/callable-tool.ts';

/** How many turns of an agent may ask for tools of which its node says nothing. */
const MAX_ITERATIONS = 5;

/**
 * Asks a model, makes the tool calls that it asks for, tells it the answers, and so on until it asks for none. When so
 * many turns have asked for tools, one more is asked without.
 */
export function compileAgent(node: NodeOfType<'agent'>, scope: NodeSettings): NodeBehavior {
  const { tools: names = [], approve = {}, maxIterations = MAX_ITERATIONS } = node;
  const plan: Plan = {
    node,
    names,
    turn: compileModelTurn(node, scope),
    tools: createToolbox(names, { node, scope, approve, asksForUnsafe: true }),
    maxIterations,
    deadline: sharedDeadline(node),
  };
  return {
    start: (task) => ask(plan, task, { ...BEGINNING, ...plan.deadline.begin() }),
    restart(task, position) {
      if (position.kind !== 'agent') throw unexpected(position);
      return restart(plan, task, { ...position, ...plan.deadline.begin() });
    },
    keepLate(task, position, happening) {
      if (position.kind !== 'agent') throw unexpected(position);
      return withWork(position, resumeBatch(placeOf(plan, task, position), workOf(position), happening));
    },
    resume(task, position, happening) {
      if (position.kind !== 'agent') throw unexpected(position);
      return resume(plan, task, {
        at: { ...position, ...plan.deadline.run(position, false, task.now) },
        happening,
      });
    },
  };
}

interface Plan {
  readonly node: NodeOfType<'agent'>;
  readonly names: readonly string[];
  readonly turn: ModelTurn;
  readonly tools: Toolbox;
  readonly maxIterations: number;
  readonly deadline: SharedDeadline;
}

const BEGINNING: AgentPosition = {
  kind: 'agent',
  conversation: EMPTY_CONVERSATION,
  turn: null,
  batch: [],
  iterations: 0,
  isLast: false,
};

/** Time counts while a call is out; waiting for people does not. */
function open({ deadline }: Plan, task: TaskContext, at: AgentPosition): Progress {
  const isAtWork = at.turn !== null || hasOpenCall(at.batch);
  return { kind: 'open', position: { ...at, ...deadline.run(at, isAtWork, task.now) } };
}

/** Has the model answer what was said. */
function ask(plan: Plan, task: TaskContext, at: AgentPosition): Progress {
  const mayUseTools = plan.names.length > 0 && at.iterations < plan.maxIterations;
  const asking = { ...at, isLast: !mayUseTools, batch: [] };
  return afterTurn(plan, task, {
    at: asking,
    progress: plan.turn.ask(task, at.conversation, offerOf(plan, task, asking)),
  });
}

/** Tools that this run may not call are not offered. */
function offered({ names, tools }: Plan, principal: Principal): readonly string[] {
  return names.filter((name) => tools.findAllowed(name)?.refuse(principal) === null);
}

/** The last turn has no tools. */
function offerOf(plan: Plan, task: TaskContext, at: AgentPosition): Offer {
  return { tools: at.isLast ? [] : offered(plan, task.createdBy), leftMs: () => plan.deadline.leftMs(at) };
}

function resume(
  plan: Plan,
  task: TaskContext,
  { at, happening }: { at: AgentPosition; happening: TaskInput },
): Progress {
  const { conversation, turn } = at;
  if (turn?.key === null) return restart(plan, task, at);
  if (turn) {
    if (!isForTurn(happening)) throw unexpected(at);
    const progress = plan.turn.resume(task, { conversation, turn, offer: offerOf(plan, task, at) }, happening);
    return afterTurn(plan, task, { at, progress });
  }
  return goOn(plan, task, { at, work: resumeBatch(placeOf(plan, task, at), workOf(at), happening) });
}

function restart(plan: Plan, task: TaskContext, at: AgentPosition): Progress {
  const { conversation, turn, batch } = at;
  if (turn)
    return afterTurn(plan, task, {
      at,
      progress: plan.turn.askAgain(task, { conversation, turn }, offerOf(plan, task, at)),
    });
  if (batch.length === 0) return ask(plan, task, at);
  return atWork(plan, task, { at, work: { batch: readyAgain(batch), callsMade: conversation.callsMade } });
}

function placeOf(plan: Plan, task: TaskContext, at: AgentPosition): ToolBatchContext {
  return { task, tools: plan.tools, leftMs: () => plan.deadline.leftMs(at) };
}

function afterTurn(
  plan: Plan,
  task: TaskContext,
  { at, progress }: { at: AgentPosition; progress: TurnProgress },
): Progress {
  switch (progress.kind) {
    case 'asking':
      return open(plan, task, { ...at, conversation: progress.conversation, turn: progress.turn });
    case 'failed':
      return failed(progress.failure, { ...at, turn: null, conversation: progress.conversation });
    case 'answered':
      return afterAnswer(plan, task, { at, answer: progress });
  }
}

function afterAnswer(
  plan: Plan,
  task: TaskContext,
  { at, answer }: { at: AgentPosition; answer: FinishedTurn },
): Progress {
  const { conversation, reply } = answer;
  if (at.isLast || reply.toolCalls.length === 0) return finish(plan, at, answer);
  const work = readBatch(placeOf(plan, task, at), reply.toolCalls, conversation.callsMade);
  const messages = [...conversation.messages, toMessage(reply)];
  const working = { ...at, conversation: { ...conversation, messages }, turn: null, iterations: at.iterations + 1 };
  return atWork(plan, task, { at: working, work });
}

/** Begins the calls of a batch, if the run may make all of them. */
function atWork(plan: Plan, task: TaskContext, { at, work }: { at: AgentPosition; work: BatchWork }): Progress {
  const refusal = task.refuseToolCalls(callsToMake(work.batch));
  return refusal ? failed(refusal, withWork(at, work)) : goOn(plan, task, { at, work });
}

function workOf({ batch, conversation: { callsMade } }: AgentPosition): BatchWork {
  return { batch, callsMade };
}

function withWork(at: AgentPosition, { batch, callsMade }: BatchWork): AgentPosition {
  return { ...at, conversation: { ...at.conversation, callsMade }, batch };
}

/** Makes the calls that can be made. Once all are answered, the model is told, in the order of the calls. */
function goOn(plan: Plan, task: TaskContext, { at, work }: { at: AgentPosition; work: BatchWork }): Progress {
  const position = withWork(at, beginBatch(placeOf(plan, task, at), work));
  const { conversation, batch } = position;
  const failure = failureIn(batch);
  if (failure && !hasOpenCall(batch)) return failed(failure, position);
  if (!isAnswered(batch) || !task.hasModelCapacity()) return open(plan, task, position);
  const messages = [...conversation.messages, ...answersOf(batch)];
  return savingProgress(position, () => ask(plan, task, { ...position, conversation: { ...conversation, messages } }));
}

/** A reply without the calls that it asks for all the same, and so without the provider's own form of them. */
function withoutCalls(reply: ModelReply): ModelReply {
  if (reply.toolCalls.length === 0) return reply;
  const { providerParts: _gone, ...rest } = reply;
  return { ...rest, toolCalls: [] };
}

function finish({ node }: Plan, at: AgentPosition, { conversation, reply, object, model }: FinishedTurn): Progress {
  const message = toMessage(withoutCalls(reply));
  const { usage, messages } = conversation;
  const iterations = at.isLast ? at.iterations : at.iterations + 1;
  const result = { text: reply.text, object, toolCalls: [], message, usage, model, iterations };
  return done(result, node.messages === undefined ? undefined : { [node.messages]: [...messages, message] });
}
