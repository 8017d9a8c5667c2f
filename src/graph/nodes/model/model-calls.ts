import { capDeadline } from '../../definition/call-policy.ts';
import type { CallPolicy } from '../../definition/call-policy.ts';
import type { ModelEntry } from '../../definition/catalog.ts';
import { isChosenModel } from '../../definition/node-types/model-fields.ts';
import type { ToolChoice, ModelFields } from '../../definition/node-types/model-fields.ts';
import type { Message, NewMessage } from '../../definition/message.ts';
import type { Bindings } from '../../expression/names.ts';
import type { ContextPolicy, ModelCallRequest } from '../../run/effect.ts';
import { SUMMARY_REQUEST } from '../../run/model-turn.ts';
import type { ModelConversation, ModelQuestion } from '../../run/model-turn.ts';
import { own } from '../../values/json.ts';
import { jsonInText } from './json-in-text.ts';
import type { Json } from '../../values/json.ts';
import type { TaskContext } from '../behavior.ts';
import { callPolicyOf } from '../node-settings.ts';
import type { TimeLeft, NodeSettings } from '../node-settings.ts';
import { compileConversationStart, replaceBySummary, summaryRequest, summaryTokens } from './conversation.ts';
import type { ConversationStart, ShortenedConversation } from './conversation.ts';
import { compileChoice } from './choice.ts';
import { describeOffers } from '../tool-calls/fixed-arguments.ts';
import { withoutCharge } from '../../values/meter.ts';
import { compileJsonSchema } from '../../values/json-schema.ts';
import type { JsonSchema } from '../../values/json-schema.ts';

/** The compiled fields of a node for calls of its models. */
export interface ModelCallPlan {
  readonly node: ModelFields;
  /** What the model is told of the tools that no worker can describe, by name. */
  readonly offers: NonNullable<ModelCallRequest['offers']>;
  /** The node's models. */
  readonly models: readonly PlannedModel[];
  /**
   * Returns the indexes of the models to call, in order: each is called when those before it have failed.
   * @throws GraphError `INVALID_CHOICE` or `EXPRESSION_FAILED`
   */
  readonly modelOrder: (bindings: Bindings) => readonly number[];
  readonly readOutput: OutputReader | null;
  readonly conversationStart: (bindings: Bindings) => ConversationStart;
}

/** The tools and the time that a model gets for an answer. */
export interface ModelOffer {
  /** Names of the tools that the model may request. */
  readonly tools: readonly string[];
  /** The node's tool choice while it still applies. With `none`, tool calls of the answer are dropped. */
  readonly choice: ToolChoice | undefined;
  readonly leftMs: TimeLeft;
}

/** A model turn in a task, and the question of its next call. */
export interface TurnStep {
  readonly plan: ModelCallPlan;
  readonly task: TaskContext;
  readonly conversation: ModelConversation;
  readonly offer: ModelOffer;
  readonly question: ModelQuestion;
}

/** @param offers what the model is told of the node's own tools, besides those that it lists */
export function planModelCalls(
  node: ModelFields,
  settings: NodeSettings,
  offers: ModelCallPlan['offers'] = {},
): ModelCallPlan {
  const models = modelsOfNode(node, settings);
  return {
    node,
    modelOrder: compileModelOrder(node, models),
    offers: { ...withoutCharge(() => describeOffers(node.tools ?? [], settings)), ...offers },
    models: models.map((model) => planModel(model, node, settings)),
    readOutput: node.output === undefined ? null : compileOutput(node.output),
    conversationStart: compileConversationStart(node),
  };
}

/** Makes the call for an answer, for a correction of an answer, or for a summary. @throws GraphError `TIMEOUT` */
export function toModelCall(step: TurnStep): ModelCallRequest {
  const { plan, task, offer, question } = step;
  const planned = plan.models[question.model];
  if (!planned) throw new TypeError('A node without a model');
  const { system } = plan.conversationStart(task.bindings);
  const { head, rest } = shortenConversation(step);
  const conversation = [...head, ...rest];
  const { model, context } = planned;
  const common = { kind: 'model', model, system, policy: capDeadline(planned.policy, offer.leftMs()) } as const;
  if (question.summarizing !== null) {
    const maxOutputTokens = summaryTokens(context?.maxTokens ?? null);
    const request = giveMessageIds([summaryRequest(maxOutputTokens)], SUMMARY_REQUEST);
    return {
      ...common,
      messages: [...conversation.slice(0, question.summarizing), ...request],
      tools: [],
      context: { maxTokens: null, strategy: 'last' },
      output: null,
      temperature: null,
      maxOutputTokens,
    };
  }
  const { output = null, temperature = null, maxOutputTokens = null } = plan.node;
  return {
    ...common,
    messages: [...conversation, ...giveMessageIds(question.corrections, 'correction')],
    tools: offer.tools,
    ...toOffers(plan, offer),
    context,
    output,
    temperature,
    maxOutputTokens,
    ...toModelOptions(plan.node, offer),
  };
}

function toOffers({ offers }: ModelCallPlan, { tools }: ModelOffer): Pick<ModelCallRequest, 'offers'> {
  const offered = Object.entries(offers).filter(([name]) => tools.includes(name));
  return offered.length === 0 ? {} : { offers: Object.fromEntries(offered) };
}

/** Fields that a node does not set are absent, which keeps the requests without them unchanged. */
function toModelOptions(
  { reasoning, providerOptions }: ModelFields,
  offer: ModelOffer,
): Pick<ModelCallRequest, 'toolChoice' | 'reasoning' | 'providerOptions'> {
  const toolChoice = allowedToolChoice(offer);
  return {
    ...(toolChoice && { toolChoice }),
    ...(reasoning && { reasoning }),
    ...(providerOptions && { providerOptions }),
  };
}

/** If the run may call no tool, or not the chosen one, the choice is left to the model. */
function allowedToolChoice({ tools, choice }: ModelOffer): ModelCallRequest['toolChoice'] | null {
  if (choice === undefined || choice === 'auto' || tools.length === 0) return null;
  return typeof choice === 'string' || tools.includes(choice.tool) ? choice : null;
}

/** The conversation as it is sent, without corrections of the current answer. */
export function shortenConversation({ plan, task, conversation }: TurnStep): ShortenedConversation {
  const { messages } = plan.conversationStart(task.bindings);
  return replaceBySummary(
    [...messages, ...giveMessageIds(conversation.messages, 'conversation')],
    conversation.summary,
  );
}

interface PlannedModel {
  readonly model: string;
  readonly policy: CallPolicy;
  /** `null` if all messages are sent. */
  readonly context: ContextPolicy | null;
}

function modelsOfNode({ model, models }: ModelFields, { defaults }: NodeSettings): readonly string[] {
  if (isChosenModel(model)) return models ?? [];
  const names = model ?? defaults.model ?? 'default';
  return typeof names === 'string' ? [names] : names;
}

function compileModelOrder({ model }: ModelFields, models: readonly string[]): ModelCallPlan['modelOrder'] {
  if (!isChosenModel(model)) {
    const all = [...models.keys()];
    return () => all;
  }
  const choose = compileChoice('model', model, models);
  return (bindings) => choose(bindings).map((name) => models.indexOf(name));
}

function planModel(model: string, node: ModelFields, settings: NodeSettings): PlannedModel {
  const entry = own(settings.catalog.models, model) ?? {};
  return { model, policy: callPolicyOf(node, entry, settings), context: contextPolicyOf(node, entry) };
}

function contextPolicyOf(
  { context }: ModelFields,
  { contextWindow }: Pick<ModelEntry, 'contextWindow'>,
): ContextPolicy | null {
  if (!context && contextWindow === undefined) return null;
  return { maxTokens: context?.maxTokens ?? contextWindow ?? null, strategy: context?.strategy ?? 'last' };
}

function giveMessageIds(messages: readonly NewMessage[], prefix: string): readonly Message[] {
  return messages.map((message, index) => ({ ...message, id: `${prefix}-${index}` }));
}

/** Reads a JSON value from a model's text. A problem is formulated for the model, which has to correct it. */
export type OutputReader = (text: string) => { readonly value: Json } | { readonly problem: string };

/** Compiles a reader of values that fit a schema. If a text contains several values, the first that fits is used. */
function compileOutput(schema: JsonSchema): OutputReader {
  const check = compileJsonSchema(schema);
  const isValid = (value: Json): boolean => check(value).length === 0;
  return (text) => {
    const values = jsonInText(text);
    const value = values[Math.max(0, values.findIndex(isValid))];
    if (value === undefined) return { problem: 'it holds no JSON' };
    const [first] = check(value);
    return first ? { problem: `${first.path || '/'}: ${first.message}` } : { value };
  };
}
