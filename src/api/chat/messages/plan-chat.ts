import type { UIMessageChunk } from 'ai';
import { isJsonObject } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';
import type { GraphDefinition, NodeDefinition } from '../../../graph/definition/index.ts';
import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { parseCallKey, taskKey } from '../../../graph/run/index.ts';

/** How the channels and nodes of a graph are mapped to a chat. */
export interface ChatPlan {
  /** The input channel that receives the user's message; `null` when the graph has none. */
  readonly input: { readonly channel: string; readonly kind: 'messages' | 'text' } | null;
  /** The channel whose writes are the answer; `null` when the run's output is the answer. */
  readonly answer: string | null;
  /** Nodes whose model text is the answer, so that it can be streamed before the node has finished. */
  readonly answeringNodes: ReadonlySet<string>;
  /** Nodes that call one tool directly, without a request of a model. */
  readonly singleCallNodes: ReadonlySet<string>;
}

/** The channel that is used when a graph has several channels of messages. */
const DEFAULT_CHANNEL = 'messages';

/**
 * Derives how a graph is used in a chat. The user's message goes to the channel `messages`, or else to the first
 * channel of messages, or else to the first channel of texts. The answer to messages is in the same channel; the answer
 * to a text is in the first other text channel that is an output.
 */
export function planChat(definition: GraphDefinition): ChatPlan {
  const input = findInputChannel(definition);
  const answer = input?.kind === 'messages' ? input.channel : findAnswerChannel(definition, input?.channel);
  const answeringNodes = Object.entries(definition.nodes).filter(
    ([, node]) => answer !== null && writesModelTextTo(node, answer),
  );
  const idsOf = (nodes: typeof answeringNodes): ReadonlySet<string> => new Set(nodes.map(([id]) => id));
  return {
    input,
    answer,
    answeringNodes: idsOf(answeringNodes),
    singleCallNodes: idsOf(Object.entries(definition.nodes).filter(([, node]) => makesOneCall(node))),
  };
}

function findInputChannel(definition: GraphDefinition): ChatPlan['input'] {
  const names = definition.input ?? Object.keys(definition.channels ?? {});
  const takeMessages = names.filter((name) => definition.channels?.[name]?.reducer === 'messages');
  const [messages] = takeMessages.includes(DEFAULT_CHANNEL) ? [DEFAULT_CHANNEL] : takeMessages;
  if (messages !== undefined) return { channel: messages, kind: 'messages' };
  const text = names.find((name) => isTextChannel(definition, name));
  return text === undefined ? null : { channel: text, kind: 'text' };
}

function findAnswerChannel(definition: GraphDefinition, input: string | undefined): string | null {
  const names = definition.output ?? Object.keys(definition.channels ?? {});
  return names.find((name) => name !== input && isTextChannel(definition, name)) ?? null;
}

function isTextChannel({ channels = {} }: GraphDefinition, name: string): boolean {
  const schema = channels[name]?.schema;
  return isJsonObject(schema) && schema['type'] === 'string';
}

/** A tool node makes either one call of its own or the calls of a message. */
function makesOneCall(node: NodeDefinition): boolean {
  return node.type === 'tool' && node.calls === undefined;
}

/** Returns true if the text that the node's model writes goes unchanged to the channel. */
function writesModelTextTo(node: NodeDefinition, channel: string): boolean {
  if (node.type !== 'llm' && node.type !== 'agent') return false;
  if (node.output !== undefined) return false;
  const { messages, write } = node;
  return messages === channel || (typeof write === 'object' && Object.hasOwn(write, channel));
}

/** A chunk of the AI SDK's UI message stream, version 1. */
export type UiChunk = UIMessageChunk<
  JsonObject,
  { readonly node: JsonObject; readonly progress: JsonObject; readonly output: Json }
>;

/** The fields of an event that identify its node task. */
export interface TaskOfEvent {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
  readonly path?: RunEvent['path'];
}

/** @returns `null` for an event that belongs to no task */
export function taskOf(event: RunEvent): TaskOfEvent | null {
  return 'visit' in event ? event : null;
}

/** Returns true if a call belongs to a task. For elements of a list, the call key identifies the element. */
export function isSameTask(call: Pick<ModelDelta, 'node' | 'visit' | 'path' | 'callKey'>, task: TaskOfEvent): boolean {
  const { node, visit, path = [], index } = task;
  return (
    call.node === node &&
    call.visit === visit &&
    (call.path ?? []).join('/') === path.join('/') &&
    (index === undefined || parseCallKey(call.callKey)?.task === taskKey(node, index))
  );
}

/** Returns a key that is equal for all events of one task. */
export function keyOfTask({ node, visit, index, path = [] }: TaskOfEvent): string {
  return JSON.stringify([path, node, visit, index ?? null]);
}
