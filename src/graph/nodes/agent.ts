import type { NodeOfType } from '../definition/definition.ts';
import { offeredNames } from '../definition/node-types/offered-tool.ts';
import type { UpdateByChannel } from '../channels/channel.ts';
import { EMPTY_CONVERSATION } from '../run/model-turn.ts';
import type { ModelConversation } from '../run/model-turn.ts';
import type { AgentPosition } from '../run/scope.ts';
import { batchAtPosition } from '../run/task-position.ts';
import { failureIn, hasOpenCall, isAnswered } from '../run/tool-batch.ts';
import type { Handoff } from '../run/tool-batch.ts';
import { taskDone, taskFailed, savingProgress, unexpectedInput } from './behavior.ts';
import type { NodeBehavior, TaskProgress, TaskContext, TaskInput } from './behavior.ts';
import { handoffOffers, handoffTargetsOf, readHandoffs, settleHandoff } from './hand-off.ts';
import type { HandoffTargets } from './hand-off.ts';
import { compileActiveTools } from './model/choice.ts';
import { toAssistantMessage } from './model/conversation.ts';
import type { ModelOffer } from './model/model-calls.ts';
import { compileModelTurn, isTurnInput } from './model/model-turn.ts';
import type { FinishedTurn, ModelTurn, TurnProgress } from './model/model-turn.ts';
import { leftMsIn, sharedDeadline } from './node-settings.ts';
import type { SharedDeadline, NodeSettings } from './node-settings.ts';
import { createToolbox } from './tool-calls/callable-tool.ts';
import type { ToolBatchContext, ToolsOfNode } from './tool-calls/callable-tool.ts';
import {
  batchAnswers,
  beginBatch,
  callsToMake,
  readBatch,
  resetBatch,
  resumeBatch,
  withdrawOutdatedCalls,
} from './tool-calls/run-batch.ts';
import type { BatchProgress } from './tool-calls/run-batch.ts';

/**
 * Compiles an `agent` node. It calls a model, makes the tool calls of the answer, and repeats this until an answer
 * requests none. After `maxIterations` turns with tools, the model is called once more, without tools, unless
 * `onMaxIterations` says otherwise.
 */
export function compileAgent(node: NodeOfType<'agent'>, settings: NodeSettings): NodeBehavior {
  const { tools = [], approve = {}, maxIterations = DEFAULT_MAX_ITERATIONS, onMaxIterations = 'answer' } = node;
  const handoffs = handoffTargetsOf(node);
  const plan: AgentPlan = {
    node,
    names: offeredNames(tools),
    handoffs,
    turn: compileModelTurn(node, settings, handoffOffers(handoffs, settings.nodes)),
    tools: createToolbox(tools, { node, settings, approve, asksForUnsafe: true }, compileActiveTools(node)),
    maxIterations,
    onMaxIterations,
    deadline: sharedDeadline(node),
  };
  return {
    start: (task) => askModel({ plan, task, position: { ...INITIAL_POSITION, ...plan.deadline.begin() } }),
    restart(task, position) {
      if (position.kind !== 'agent') throw unexpectedInput(position);
      const restarted = { ...position, ...plan.deadline.begin(), ...withMoreTurns(plan, position) };
      return restartAgent({ plan, task, position: restarted });
    },
    updateSaved(task, position, input) {
      if (position.kind !== 'agent') throw unexpectedInput(position);
      if (position.stage.kind !== 'batch') return position;
      return withBatchProgress(
        position,
        resumeBatch(batchContext({ plan, task, position }), batchProgress(position), input),
      );
    },
    withdrawOutdated(task, position, mayCompute) {
      if (position.kind !== 'agent' || position.stage.kind !== 'batch') return null;
      const batch = withdrawOutdatedCalls(batchContext({ plan, task, position }), position.stage.batch, mayCompute);
      return batch && { ...position, stage: { ...position.stage, batch } };
    },
    resume(task, position, input) {
      if (position.kind !== 'agent') throw unexpectedInput(position);
      const stopped = { ...position, ...plan.deadline.run(position, false, task.now) };
      const capped = { ...stopped, ...plan.deadline.cap(stopped, leftMsIn(input)) };
      return resumeAgent({ plan, task, position: capped }, input);
    },
  };
}

/** Turns with tools of an agent whose node sets no `maxIterations`. */
const DEFAULT_MAX_ITERATIONS = 5;

interface AgentPlan {
  readonly node: NodeOfType<'agent'>;
  /** Names of the tools that the node allows. */
  readonly names: readonly string[];
  readonly handoffs: HandoffTargets;
  readonly turn: ModelTurn;
  readonly tools: ToolsOfNode;
  readonly maxIterations: number;
  readonly onMaxIterations: NonNullable<NodeOfType<'agent'>['onMaxIterations']>;
  readonly deadline: SharedDeadline;
}

/** A task of an agent, at its current position. */
interface AgentTask {
  readonly plan: AgentPlan;
  readonly task: TaskContext;
  readonly position: AgentPosition;
}

const INITIAL_POSITION: AgentPosition = {
  kind: 'agent',
  conversation: EMPTY_CONVERSATION,
  stage: { kind: 'asking' },
  iterations: 0,
};

/** Leaves the task open. Its deadline runs while a call is open, and stops while the task only waits for people. */
function stayOpen({ plan, task, position }: AgentTask): TaskProgress {
  const isAtWork = position.stage.kind === 'turn' || hasOpenCall(batchAtPosition(position));
  return { kind: 'open', position: { ...position, ...plan.deadline.run(position, isAtWork, task.now) } };
}

/** Requests the model's answer to the conversation. */
function askModel({ plan, task, position }: AgentTask): TaskProgress {
  const isExhausted = hasUsedAllTurns(plan, position);
  if (isExhausted && plan.onMaxIterations !== 'answer') return failExhausted(plan, position);
  const mayUseTools = offersTools(plan) && !isExhausted;
  const agent = { plan, task, position };
  return afterTurn(agent, !mayUseTools, plan.turn.ask(task, position.conversation, modelOfferOf(agent, !mayUseTools)));
}

function offersTools({ names, handoffs }: AgentPlan): boolean {
  return names.length + handoffs.size > 0;
}

/** True if the model has called tools in all turns that it has for them. */
function hasUsedAllTurns(plan: AgentPlan, position: AgentPosition): boolean {
  const { maxIterations } = plan;
  return offersTools(plan) && position.iterations - (position.iterationsBefore ?? 0) >= maxIterations;
}

/** Fails an agent without an answer. A person who retries it gives it `maxIterations` more turns. */
function failExhausted({ maxIterations, onMaxIterations }: AgentPlan, position: AgentPosition): TaskProgress {
  const message = `The agent has called tools in all of its ${maxIterations} turns and has no answer`;
  const error = { code: 'MODEL_FAILED', message, cause: { code: 'max_iterations', message } } as const;
  const intervenes = onMaxIterations === 'intervene' ? { intervenes: true as const } : {};
  return taskFailed({ callFailed: false, error, ...intervenes }, { ...position, stage: { kind: 'asking' } });
}

function withMoreTurns(plan: AgentPlan, position: AgentPosition): Pick<AgentPosition, 'iterationsBefore'> {
  const isFailed = plan.onMaxIterations !== 'answer' && position.stage.kind === 'asking';
  return isFailed && hasUsedAllTurns(plan, position) ? { iterationsBefore: position.iterations } : {};
}

/** Returns the offer to the model: no tools in the last turn, otherwise the tools that the run may call. */
function modelOfferOf(agent: AgentTask, isLast: boolean): ModelOffer {
  const { plan, task, position } = agent;
  const isCallable = (name: string): boolean => plan.tools.find(name)?.refuse(task.editors) === null;
  const tools = isLast ? [] : [...plan.tools.activeNames(task.bindings).filter(isCallable), ...plan.handoffs.keys()];
  return { tools, choice: isLast ? 'none' : toolChoiceAt(agent), leftMs: () => plan.deadline.leftMs(position) };
}

/** A forced choice applies only until the model has called a tool, because the agent would never end otherwise. */
function toolChoiceAt({ plan, position }: AgentTask): ModelOffer['choice'] {
  const { toolChoice } = plan.node;
  return toolChoice === 'none' || position.iterations === 0 ? toolChoice : undefined;
}

function resumeAgent(agent: AgentTask, input: TaskInput): TaskProgress {
  const { plan, task, position } = agent;
  const { conversation, stage } = position;
  if (stage.kind === 'turn') {
    const { turn, isLast } = stage;
    if (turn.key === null) return restartAgent(agent);
    if (!isTurnInput(input)) throw unexpectedInput(position);
    const progress = plan.turn.resume(task, { conversation, turn }, modelOfferOf(agent, isLast), input);
    return afterTurn(agent, isLast, progress);
  }
  return continueBatch(agent, resumeBatch(batchContext(agent), batchProgress(position), input));
}

function restartAgent(agent: AgentTask): TaskProgress {
  const { plan, task, position } = agent;
  const { conversation, stage } = position;
  switch (stage.kind) {
    case 'asking':
      return askModel(agent);
    case 'turn': {
      const { turn, isLast } = stage;
      return afterTurn(agent, isLast, plan.turn.askAgain(task, { conversation, turn }, modelOfferOf(agent, isLast)));
    }
    case 'batch':
      return startBatch(agent, { batch: resetBatch(stage.batch), callsMade: conversation.callsMade });
  }
}

function afterTurn(agent: AgentTask, isLast: boolean, progress: TurnProgress): TaskProgress {
  const { position } = agent;
  switch (progress.kind) {
    case 'asking': {
      const { conversation, turn } = progress;
      return stayOpen({ ...agent, position: { ...position, conversation, stage: { kind: 'turn', turn, isLast } } });
    }
    case 'failed':
      return taskFailed(progress.failure, {
        ...position,
        conversation: progress.conversation,
        stage: { kind: 'asking' },
      });
    case 'answered':
      return afterAnswer(agent, isLast, progress);
  }
}

function afterAnswer(agent: AgentTask, isLast: boolean, answer: FinishedTurn): TaskProgress {
  const { position } = agent;
  const { conversation, reply } = answer;
  if (reply.toolCalls.length === 0) return finishAgent(agent, isLast, answer);
  const read = readBatch(batchContext(agent), reply.toolCalls, conversation.callsMade);
  const progress = { ...read, batch: readHandoffs(agent.plan.handoffs, read.batch, answer.model) };
  const messages = [...conversation.messages, toAssistantMessage(reply)];
  const next = { ...position, conversation: { ...conversation, messages } };
  return startBatch({ ...agent, position: { ...next, iterations: position.iterations + 1 } }, progress);
}

/** Begins the calls of a batch, if the run's budget allows all of them. */
function startBatch(agent: AgentTask, progress: BatchProgress): TaskProgress {
  const failure = agent.task.findToolBudgetFailure(callsToMake(progress.batch));
  return failure ? taskFailed(failure, withBatchProgress(agent.position, progress)) : continueBatch(agent, progress);
}

/**
 * Makes the calls that can be made now. Once all are answered, the model receives the answers in the order of the
 * calls.
 */
function continueBatch(agent: AgentTask, progress: BatchProgress): TaskProgress {
  const position = withBatchProgress(agent.position, beginBatch(batchContext(agent), progress));
  const { conversation } = position;
  const batch = batchAtPosition(position);
  const failure = failureIn(batch);
  if (failure && !hasOpenCall(batch)) return taskFailed(failure, position);
  if (!isAnswered(batch)) return stayOpen({ ...agent, position });
  const settled = settleHandoff(agent.plan.handoffs, batch);
  const messages = [...conversation.messages, ...batchAnswers(settled.batch)];
  const answered = { ...position, conversation: { ...conversation, messages } };
  if (settled.handoff) return endByHandoff({ ...agent, position: answered }, settled.handoff);
  if (!agent.task.hasModelCapacity()) return stayOpen({ ...agent, position });
  return savingProgress(position, () => askModel({ ...agent, position: answered }));
}

function batchContext(agent: AgentTask): ToolBatchContext {
  return { task: agent.task, tools: agent.plan.tools, leftMs: () => agent.plan.deadline.leftMs(agent.position) };
}

function batchProgress(position: AgentPosition): BatchProgress {
  const { inside, conversation } = position;
  return { batch: batchAtPosition(position), callsMade: conversation.callsMade, ...(inside && { inside }) };
}

function withBatchProgress(
  { inside: _before, ...position }: AgentPosition,
  { batch, callsMade, ...graphs }: BatchProgress,
): AgentPosition {
  const conversation = { ...position.conversation, callsMade };
  return { ...position, conversation, stage: { kind: 'batch', batch }, ...graphs };
}

function finishAgent({ plan, position }: AgentTask, isLast: boolean, answer: FinishedTurn): TaskProgress {
  const { conversation, reply, object, model } = answer;
  const message = toAssistantMessage(reply);
  const { finishReason } = reply;
  const { usage, messages } = conversation;
  const iterationsExhausted = isLast && hasUsedAllTurns(plan, position);
  const iterations = isLast ? position.iterations : position.iterations + 1;
  const result = {
    text: reply.text,
    object,
    toolCalls: [],
    message,
    finishReason,
    usage,
    model,
    iterations,
    iterationsExhausted,
    ...(plan.handoffs.size > 0 && { handoff: null }),
  };
  return taskDone(result, conversationUpdate(plan, [...messages, message]));
}

/** Ends an agent that has handed over. Its messages and the answers to its calls stay in the conversation. */
function endByHandoff({ plan, position }: AgentTask, { to, note, model }: Handoff): TaskProgress {
  const { conversation, iterations } = position;
  const { messages, usage } = conversation;
  const message = messages.findLast(({ role }) => role === 'assistant') ?? null;
  const text = typeof message?.content === 'string' ? message.content : '';
  const result = {
    text,
    object: null,
    toolCalls: [],
    message,
    finishReason: 'tool-calls',
    usage,
    model,
    iterations,
    iterationsExhausted: false,
    handoff: { to, note },
  };
  const update = conversationUpdate(plan, messages);
  return { kind: 'done', result, ...(update && { update }), goto: to };
}

function conversationUpdate({ node }: AgentPlan, messages: ModelConversation['messages']): UpdateByChannel | undefined {
  return node.messages === undefined ? undefined : { [node.messages]: messages };
}
