import type { NodeOfType } from '../definition.ts';
import type { ModelCallRequest, ModelReply } from '../effect.ts';
import { toText } from '../expression/text.ts';
import { isJsonList, own } from '../json.ts';
import type { Json } from '../json.ts';
import { isMessage } from '../message.ts';
import type { Message } from '../message.ts';
import type { TaskFailure } from '../scope.ts';
import { field, policyOf } from './node-scope.ts';
import type { NodeScope } from './node-scope.ts';
import type { LlmPosition } from './position.ts';
import { done, failed } from './runner.ts';
import type { Happening, NodeRunner, Progress, TaskContext } from './runner.ts';
import { compileOutput } from './structured-output.ts';
import type { OutputReader } from './structured-output.ts';
import { unexpected } from './unexpected.ts';

/** How often a model is shown what is wrong with its structured output before the node fails. */
const MAX_CORRECTIONS = 2;

/** One answer of a model: as text, or as an object that fits the node's `output` schema. */
export function compileLlm(node: NodeOfType<'llm'>, scope: NodeScope): NodeRunner {
  const plan: Plan = {
    node,
    models: modelsOf(node, scope).map((model) => ({
      model,
      policy: policyOf(node, own(scope.catalog.models, model) ?? {}, scope),
    })),
    readOutput: node.output === undefined ? null : compileOutput(node.output),
    prompt: promptOf(node),
  };
  return {
    start: (task) => ask(plan, task, { model: 0, call: 0, corrections: [] }),
    resume(task, position, happening) {
      if (position.kind !== 'llm') throw unexpected(position);
      if (happening.kind === 'call.failed') return afterFailure(plan, task, { position, happening });
      if (happening.kind !== 'call.completed' || happening.reply.kind !== 'model') throw unexpected(position);
      return afterReply(plan, task, { position, reply: happening.reply });
    },
  };
}

interface Plan {
  readonly node: NodeOfType<'llm'>;
  readonly models: readonly { readonly model: string; readonly policy: ModelCallRequest['policy'] }[];
  readonly readOutput: OutputReader | null;
  readonly prompt: (task: TaskContext) => { readonly system: string | null; readonly messages: readonly Message[] };
}

function modelsOf(node: NodeOfType<'llm'>, { defaults }: NodeScope): readonly string[] {
  const names = node.model ?? defaults.model ?? 'default';
  return typeof names === 'string' ? [names] : names;
}

function promptOf(node: NodeOfType<'llm'>): Plan['prompt'] {
  const system = node.system === undefined ? null : field('system', node.system, '');
  const prompt = node.prompt === undefined ? null : field('prompt', node.prompt, '');
  return ({ bindings }) => ({
    system: system && toText(system.fill(bindings)),
    messages: prompt
      ? [{ id: 'prompt', role: 'user', content: toText(prompt.fill(bindings)) }]
      : messagesIn(bindings.state, node.messages),
  });
}

function messagesIn(state: Json | undefined, channel: string | undefined): readonly Message[] {
  const value =
    channel !== undefined && typeof state === 'object' && state !== null && !isJsonList(state) ? state[channel] : [];
  return isJsonList(value) ? value.filter(isMessage) : [];
}

interface Answer {
  readonly position: LlmPosition;
  readonly reply: ModelReply;
}

type Ask = Pick<LlmPosition, 'model' | 'call' | 'corrections'>;

function ask(plan: Plan, task: TaskContext, next: Ask): Progress {
  const chosen = plan.models[next.model];
  if (!chosen) throw new TypeError('An llm node without a model');
  const { system, messages } = plan.prompt(task);
  const key = task.call(next.call, {
    kind: 'model',
    ...chosen,
    system,
    messages: [...messages, ...next.corrections],
    output: plan.node.output ?? null,
    temperature: plan.node.temperature ?? null,
    maxOutputTokens: plan.node.maxOutputTokens ?? null,
  });
  return { kind: 'open', position: { kind: 'llm', key, ...next } };
}

/** The next model answers when one has failed for good, whatever the reason but a content filter. */
function afterFailure(
  plan: Plan,
  task: TaskContext,
  { position, happening }: { position: LlmPosition; happening: Happening & { kind: 'call.failed' } },
): Progress {
  const { failure } = happening;
  const isFiltered = failure.error.cause?.code === 'content_filter';
  const hasNext = position.model + 1 < plan.models.length;
  if (isFiltered || !hasNext) return failed(failure);
  return ask(plan, task, { model: position.model + 1, call: position.call + 1, corrections: [] });
}

function afterReply(plan: Plan, task: TaskContext, answer: Answer): Progress {
  const { position, reply } = answer;
  if (reply.finishReason === 'content-filter')
    return failed(modelFailure('The provider filtered the reply', 'content_filter'));
  if (!plan.readOutput) return finish(plan, answer, null);
  const read = plan.readOutput(reply.text);
  if ('value' in read) return finish(plan, answer, read.value);
  if (reply.finishReason === 'length') {
    return failed(
      modelFailure('The reply was cut off before its object was complete; raise maxOutputTokens', 'truncated'),
    );
  }
  if (position.corrections.length / 2 >= MAX_CORRECTIONS) return failed(outputViolation(read.problem));
  return ask(plan, task, {
    ...position,
    call: position.call + 1,
    corrections: [...position.corrections, ...correction(reply, read.problem)],
  });
}

function finish({ node, models }: Plan, { position, reply }: Answer, object: Json): Progress {
  const model = models[position.model]?.model ?? null;
  const message: Record<string, Json> = { role: 'assistant', content: reply.text };
  if (reply.toolCalls.length > 0) message['toolCalls'] = reply.toolCalls;
  const result = { text: reply.text, object, toolCalls: reply.toolCalls, message, usage: reply.usage, model };
  return done(result, node.messages === undefined ? undefined : { [node.messages]: message });
}

function correction(reply: ModelReply, problem: string): readonly Message[] {
  return [
    { id: 'reply', role: 'assistant', content: reply.text },
    {
      id: 'correction',
      role: 'user',
      content: `Your answer does not fit the schema: ${problem}. Answer again with the corrected JSON object only.`,
    },
  ];
}

function modelFailure(message: string, cause: string): TaskFailure {
  return { callFailed: true, error: { code: 'MODEL_FAILED', message, cause: { code: cause, message } } };
}

function outputViolation(problem: string): TaskFailure {
  return {
    callFailed: true,
    error: {
      code: 'OUTPUT_SCHEMA_VIOLATION',
      message: `The model's answer still breaks the output schema: ${problem}`,
    },
  };
}
