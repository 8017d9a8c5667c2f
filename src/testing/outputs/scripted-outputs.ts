import { CallError } from '../../activities/calls/call-error.ts';
import type { CallTask } from '../../activities/calls/call-task.ts';
import type { Catalog } from '../../graph/definition/index.ts';
import { calleeOf } from '../../graph/run/index.ts';
import type { CallReply, CallRequest, ModelReply, ReadingRequest } from '../../graph/run/index.ts';
import { isJsonList, isJsonObject, own, withDefaults } from '../../graph/values/index.ts';
import type { Json, RunErrorCode } from '../../graph/values/index.ts';
import type { FakeCall } from '../fake-calls.ts';
import { MissingAnswerError } from '../missing-answer-error.ts';
import { toReply } from '../scripted-model.ts';
import type { ScriptedAnswer } from '../scripted-model.ts';

/** The answers to the calls of nodes, by the nodes' own ids: one a call, in the order in which the calls are made. */
export type NodeOutputs = Readonly<Record<string, readonly Json[]>>;

/** A node makes a call for which its script has no answer left. */
export class MissingOutputError extends MissingAnswerError {
  readonly node: string;

  constructor({ node, request }: Pick<CallTask, 'node' | 'request'>, count: number) {
    const { kind, name } = calleeOf(request);
    super(`The node "${node}" makes call ${count + 1}, of the ${KINDS[kind]} "${name}", and has ${count} outputs`);
    this.name = 'MissingOutputError';
    this.node = node;
  }
}

/** Makes what answers the calls of a run by what the test says of its nodes. */
export function createScriptedCalls(
  outputs: NodeOutputs,
  { tools }: Pick<Catalog, 'tools'>,
): (task: CallTask) => FakeCall {
  const taken = new Map<string, number>();
  return ({ node, request }) => ({
    safety: request.kind === 'model' ? 'idempotent' : request.effect,
    execute: async () => {
      if (request.kind === 'reading') return { kind: 'value', value: readByDefaults(request, tools) };
      const script = own(outputs, node) ?? [];
      const at = taken.get(node) ?? 0;
      const output = script[at];
      if (output === undefined) throw new MissingOutputError({ node, request }, script.length);
      taken.set(node, at + 1);
      return await Promise.resolve(toCallReply(output, request));
    },
  });
}

/** No code runs in a test that is JSON: of what a tool's own schema does, it has the defaults. */
function readByDefaults({ tool, args }: ReadingRequest, tools: Catalog['tools']): Json {
  return withDefaults(args, own(tools, tool)?.parameters ?? true);
}

/** @throws CallError for an output that is `{ "$error": … }` */
function toCallReply(output: Json, { kind }: CallRequest): CallReply {
  const message = isJsonObject(output) ? own(output, '$error') : undefined;
  if (typeof message === 'string') throw new CallError(FAILURES[kind], message, { retryable: false, done: 'no' });
  return kind === 'model' ? toModelReply(output) : { kind: 'value', value: output };
}

/** A finish reason and usage that no script gives are those of a short answer. */
function toModelReply(output: Json): ModelReply {
  const { text = '', toolCalls = [], finishReason = 'stop' } = toReply(toAnswer(output));
  return {
    kind: 'model',
    text,
    toolCalls: toolCalls.map(({ id = '', name, args }) => ({ id, name, args })),
    finishReason,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}

const PARTS: ReadonlySet<string> = new Set(['text', 'json', 'toolCalls']);

/** Reads a text, or an object of nothing but the parts of an answer; any other value is the JSON that the model says. */
function toAnswer(output: Json): ScriptedAnswer {
  if (typeof output === 'string') return { text: output };
  const names = isJsonObject(output) ? Object.keys(output) : [];
  if (!isJsonObject(output) || names.length === 0 || names.some((name) => !PARTS.has(name))) return { json: output };
  const { text, json, toolCalls } = output;
  return { ...(typeof text === 'string' && { text }), json, toolCalls: toToolCalls(toolCalls) };
}

function toToolCalls(calls: Json | undefined): NonNullable<ScriptedAnswer['toolCalls']> {
  if (calls === undefined || !isJsonList(calls)) return [];
  return calls.flatMap((call) => {
    if (!isJsonObject(call) || typeof call['tool'] !== 'string') return [];
    const { tool, args = {}, id } = call;
    return [{ tool, args, ...(typeof id === 'string' && { id }) }];
  });
}

const KINDS = { model: 'model', tool: 'tool', function: 'function', node: 'node type', reading: 'tool' } as const;

const FAILURES: Readonly<Record<CallRequest['kind'], RunErrorCode>> = {
  model: 'MODEL_FAILED',
  tool: 'TOOL_FAILED',
  function: 'FUNCTION_FAILED',
  node: 'FUNCTION_FAILED',
  reading: 'INVALID_TOOL_ARGUMENTS',
};
