import type { Catalog, ToolEntry } from '../../../src/graph/definition/catalog.ts';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { textOf } from '../../../src/graph/definition/message.ts';
import type { Message, ToolCall } from '../../../src/graph/definition/message.ts';
import type { ModelCallRequest, ModelReply, OverflowReply, ToolCallRequest } from '../../../src/graph/run/effect.ts';
import type { RunLimits } from '../../../src/graph/run/limits.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { CallFailure, runInMemory } from '../doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../doubles/memory-shell.ts';
import { aCatalog, aDefinition } from './builders.ts';

/* Agents with scripted models, whose tools answer with the argument `key` of a call. */

export type Agent = Partial<NodeDefinition & { readonly type: 'agent' }>;
export type Said = string | Error | ModelReply | OverflowReply;

/** Builds a reply with tool calls, each given as name and arguments. */
export function asks(...calls: readonly (readonly [name: string, args: Json, id?: string])[]): ModelReply {
  const toolCalls = calls.map(([name, args, id], at): ToolCall => ({ id: id ?? `c${at}`, name, args }));
  return says('', { toolCalls, finishReason: 'tool-calls' });
}

export function says(text: string, over: Partial<ModelReply> = {}): ModelReply {
  const usage = { inputTokens: 10, outputTokens: 5 };
  return { kind: 'model', text, toolCalls: [], finishReason: 'stop', usage, ...over };
}

export const modelDown = new CallFailure('MODEL_FAILED', 'down');

/** The result of an agent's run: the run, the requests to models and tools, and the keys of all calls made. */
export interface Played {
  readonly run: MemoryRun;
  readonly requests: readonly ModelCallRequest[];
  readonly calls: readonly ToolCallRequest[];
  readonly keys: readonly string[];
}

export interface Stage {
  /** The answers of the models, in order. */
  readonly replies: readonly Said[];
  readonly tools?: Readonly<Record<string, Partial<ToolEntry>>>;
  readonly catalog?: Partial<Catalog>;
  readonly graph?: Partial<GraphDefinition>;
  readonly limits?: Partial<RunLimits>;
  /** Returns the answer of a tool; by default its argument `key`. */
  readonly tool?: (request: ToolCallRequest, key: string) => Json;
  readonly outside?: Outside;
}

/** Runs a graph of one agent, `a`. By default it has all tools of the catalog. */
export function playAgent(agent: Agent, stage: Stage): Played {
  const prompt = agent.messages === undefined ? { prompt: 'Hello' } : {};
  const node = { type: 'agent', tools: ['lookup', 'charge'], write: { log: ['{{ result }}'] }, ...prompt } as const;
  return play({ ...stage, graph: { nodes: { a: { ...node, ...agent } }, ...stage.graph } });
}

/** Runs any graph. */
export function play({
  replies,
  tools = {},
  catalog = {},
  graph = {},
  limits = {},
  tool,
  outside = {},
}: Stage): Played {
  const left = [...replies];
  const requests: ModelCallRequest[] = [];
  const calls: ToolCallRequest[] = [];
  const keys: string[] = [];
  const model = (request: ModelCallRequest, key: string): Exclude<Said, Error> => {
    requests.push(request);
    keys.push(key);
    const next = left.shift();
    if (next === undefined) throw new Error('The script of the model is over');
    if (next instanceof Error) throw next;
    return next;
  };
  const answer = (request: ToolCallRequest, key: string): Json => {
    calls.push(request);
    keys.push(key);
    return (tool ?? echo)(request, key);
  };
  const run = runInMemory(
    {
      definition: aDefinition({ channels: CHANNELS, ...graph }),
      catalog: { ...catalogWith(tools), ...catalog },
      input: {},
      limits,
    },
    { model, tool: answer, ...outside },
  );
  return { run, requests, calls, keys };
}

export const CHANNELS: NonNullable<GraphDefinition['channels']> = {
  log: { reducer: 'append' },
  chat: { reducer: 'messages' },
  n: {},
};

const ANYTHING = { type: 'object' } as const;

function catalogWith(tools: Readonly<Record<string, Partial<ToolEntry>>>): Catalog {
  const base = aCatalog();
  const given = Object.entries(tools).map(([name, tool]): [string, ToolEntry] => {
    const fallback = { description: name, parameters: ANYTHING, effect: 'idempotent' } as const;
    return [name, { ...(base.tools[name] ?? fallback), ...tool }];
  });
  return { ...base, tools: { ...base.tools, ...Object.fromEntries(given) } };
}

const echo = ({ args }: ToolCallRequest): Json =>
  args !== null && typeof args === 'object' && 'key' in args ? (args['key'] ?? null) : null;

/** Returns the tool results in the request to the model with the given index, by default the latest. */
export function toldIn({ requests }: Pick<Played, 'requests'>, at = -1): readonly string[] {
  const messages: readonly Message[] = requests.at(at)?.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
}
