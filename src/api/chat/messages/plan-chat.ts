import type { UIMessageChunk } from 'ai';
import { isJsonObject } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';
import type { GraphDefinition, NodeDefinition } from '../../../graph/definition/index.ts';
import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { parseCallKey, taskKey } from '../../../graph/run/index.ts';

/** How a graph takes part in a chat. */
export interface ChatPlan {
  /** The channel that takes what the user says; `null`: no channel of the graph's input does. */
  readonly input: { readonly channel: string; readonly kind: 'messages' | 'text' } | null;
  /** The channel whose writes are the answer; `null`: the output of the run is. */
  readonly answer: string | null;
  /** The nodes whose models write the answer, so that it can be shown before they have finished. */
  readonly speakers: ReadonlySet<string>;
  /** The nodes that make one call of a tool, which no model asks for. */
  readonly callers: ReadonlySet<string>;
}

/** The channel of messages that is meant where a graph has several. */
const USUAL = 'messages';

/**
 * Finds out how a graph takes part in a chat: the channel `messages`, or else the first channel of messages, or else the
 * first channel of texts takes what the user says. Messages are answered in their channel; a text is answered in the
 * first other channel of texts that is output.
 */
export function planChat(definition: GraphDefinition): ChatPlan {
  const input = findInput(definition);
  const answer = input?.kind === 'messages' ? input.channel : findAnswer(definition, input?.channel);
  const speakers = Object.entries(definition.nodes).filter(([, node]) => answer !== null && speaksTo(node, answer));
  const idsOf = (nodes: typeof speakers): ReadonlySet<string> => new Set(nodes.map(([id]) => id));
  return {
    input,
    answer,
    speakers: idsOf(speakers),
    callers: idsOf(Object.entries(definition.nodes).filter(([, node]) => makesOneCall(node))),
  };
}

function findInput(definition: GraphDefinition): ChatPlan['input'] {
  const names = definition.input ?? Object.keys(definition.channels ?? {});
  const takeMessages = names.filter((name) => definition.channels?.[name]?.reducer === 'messages');
  const [messages] = takeMessages.includes(USUAL) ? [USUAL] : takeMessages;
  if (messages !== undefined) return { channel: messages, kind: 'messages' };
  const text = names.find((name) => isText(definition, name));
  return text === undefined ? null : { channel: text, kind: 'text' };
}

function findAnswer(definition: GraphDefinition, input: string | undefined): string | null {
  const names = definition.output ?? Object.keys(definition.channels ?? {});
  return names.find((name) => name !== input && isText(definition, name)) ?? null;
}

function isText({ channels = {} }: GraphDefinition, name: string): boolean {
  const schema = channels[name]?.schema;
  return isJsonObject(schema) && schema['type'] === 'string';
}

/** A node of tools makes either its own call, or those of a message. */
function makesOneCall(node: NodeDefinition): boolean {
  return node.type === 'tool' && node.calls === undefined;
}

/** True if the text that a node's model writes goes to a channel as it is. */
function speaksTo(node: NodeDefinition, channel: string): boolean {
  if (node.type !== 'llm' && node.type !== 'agent') return false;
  if (node.output !== undefined) return false;
  const { messages, write } = node;
  return messages === channel || (typeof write === 'object' && Object.hasOwn(write, channel));
}

/** A chunk of the AI SDK's UI message stream, version 1. */
export type Chunk = UIMessageChunk<JsonObject, { readonly node: JsonObject; readonly output: Json }>;

/** The fields of an event that say which node task it is about. */
export interface TaskOfEvent {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
  readonly path?: RunEvent['path'];
}

/** @returns `null` for an event of no task */
export function taskOf(event: RunEvent): TaskOfEvent | null {
  return 'visit' in event ? event : null;
}

/** True if a call belongs to a task. Of the elements of a list, the call's key names which it is. */
export function sameTask(call: Pick<ModelDelta, 'node' | 'visit' | 'path' | 'callKey'>, task: TaskOfEvent): boolean {
  const { node, visit, path = [], index } = task;
  return (
    call.node === node &&
    call.visit === visit &&
    (call.path ?? []).join('/') === path.join('/') &&
    (index === undefined || parseCallKey(call.callKey)?.task === taskKey(node, index))
  );
}

/** A text that is equal for events of one task. */
export function keyOfTask({ node, visit, index, path = [] }: TaskOfEvent): string {
  return JSON.stringify([path, node, visit, index ?? null]);
}
