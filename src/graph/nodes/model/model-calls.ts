import type { ModelFields } from '../../definition/definition.ts';
import { compileConversationStart } from './conversation.ts';
import type { OutputReader } from './structured-output.ts';
import type { CallPolicy } from '../../definition/call-policy.ts';
import type { ContextPolicy, ModelCallRequest } from '../../run/effect.ts';
import type { NodeSettings } from '../node-settings.ts';
import { own } from '../../values/json.ts';
import { policyOf } from '../node-settings.ts';
import type { ModelEntry } from '../../definition/catalog.ts';
import type { TimeLeft } from '../node-deadline.ts';
import type { Conversation, ModelQuestion } from '../../run/model-turn.ts';
import { compileOutput } from './structured-output.ts';
import type { TaskContext } from '../behavior.ts';
import { SUMMARIZE, summaryTokens, shorten } from './summary.ts';
import { within } from '../../definition/call-policy.ts';
import type { Shortened } from './summary.ts';
import type { Message, NewMessage } from '../../definition/message.ts';

/** What a node says to its models, and how. */
export interface ModelCallPlan {
  readonly node: ModelFields;
  readonly models: readonly Choice[];
  readonly readOutput: OutputReader | null;
  readonly conversationStart: ReturnType<typeof compileConversationStart>;
}

interface Choice {
  readonly model: string;
  readonly policy: CallPolicy;
  readonly context: ContextPolicy | null;
}

function modelsOf({ model }: ModelFields, { defaults }: NodeSettings): readonly string[] {
  const names = model ?? defaults.model ?? 'default';
  return typeof names === 'string' ? [names] : names;
}

function toChoice(model: string, node: ModelFields, scope: NodeSettings): Choice {
  const entry = own(scope.catalog.models, model) ?? {};
  return { model, policy: policyOf(node, entry, scope), context: contextOf(node, entry) };
}

function contextOf(
  { context }: ModelFields,
  { contextWindow }: Pick<ModelEntry, 'contextWindow'>,
): ContextPolicy | null {
  if (!context && contextWindow === undefined) return null;
  return { maxTokens: context?.maxTokens ?? contextWindow ?? null, strategy: context?.strategy ?? 'last' };
}

/** What an answer may use. */
export interface Offer {
  /** Names of tools that the model may ask for. */
  readonly tools: readonly string[];
  readonly leftMs: TimeLeft;
}

export interface Sending {
  readonly conversation: Conversation;
  readonly offer: Offer;
  readonly ask: ModelQuestion;
}

export function planModelCalls(node: ModelFields, scope: NodeSettings): ModelCallPlan {
  return {
    node,
    models: modelsOf(node, scope).map((model) => toChoice(model, node, scope)),
    readOutput: node.output === undefined ? null : compileOutput(node.output),
    conversationStart: compileConversationStart(node),
  };
}

/** The call that asks for an answer, a correction of one, or a summary. */
export function toModelCall(
  plan: ModelCallPlan,
  task: TaskContext,
  { conversation, offer, ask }: Sending,
): ModelCallRequest {
  const choice = plan.models[ask.model];
  if (!choice) throw new TypeError('A node without a model');
  const { node } = plan;
  const { system } = plan.conversationStart(task.bindings);
  const { head, rest } = shortenConversation(plan, task, conversation);
  const sent = [...head, ...rest];
  const common = { kind: 'model', model: choice.model, system, policy: within(choice.policy, offer.leftMs()) } as const;
  if (ask.summarizing !== null) {
    const maxTokens = choice.context?.maxTokens ?? null;
    return {
      ...common,
      messages: [...sent.slice(0, ask.summarizing), ...numbered([SUMMARIZE], 'summarize')],
      tools: [],
      context: { maxTokens: null, strategy: 'last' },
      output: null,
      temperature: null,
      maxOutputTokens: summaryTokens(maxTokens),
    };
  }
  return {
    ...common,
    messages: [...sent, ...numbered(ask.corrections, 'correction')],
    tools: offer.tools,
    context: choice.context,
    output: node.output ?? null,
    temperature: node.temperature ?? null,
    maxOutputTokens: node.maxOutputTokens ?? null,
  };
}

/** What was said before a model answers: corrections of its answer come on top. */
export function shortenConversation(
  plan: ModelCallPlan,
  { bindings }: TaskContext,
  conversation: Conversation,
): Shortened {
  const { messages } = plan.conversationStart(bindings);
  return shorten([...messages, ...numbered(conversation.messages, 'said')], conversation.summary);
}

function numbered(messages: readonly NewMessage[], prefix: string): readonly Message[] {
  return messages.map((message, at) => ({ ...message, id: `${prefix}-${at}` }));
}
