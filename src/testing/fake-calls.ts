import { functionCalls, nodeCalls, createReadings, toolCalls } from '../activities/tool-calls.ts';
import { toProgressValue } from '../activities/open-progress.ts';
import type { OpenProgress } from '../activities/open-progress.ts';
import { keepNoFile } from '../activities/files/keep-file.ts';
import { NO_LOG } from '../activities/calls/call-logger.ts';
import { modelCalls } from '../activities/model-calls.ts';
import type { CallTask } from '../activities/calls/call-task.ts';
import type { CallBehavior } from '../activities/calls/make-attempt.ts';
import { measureModels } from '../activities/context/estimate-tokens.ts';
import { createOwnModel } from '../activities/models/own-model.ts';
import { createCodeTool } from '../activities/tools/code-tool.ts';
import type { Tool } from '../activities/tools/tool.ts';
import type { Config } from '../config/load-config.ts';
import { calleeOf } from '../graph/run/index.ts';
import type { CallRequest } from '../graph/run/index.ts';
import { didYouMean, mapValues, own } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { MissingAnswerError } from '../simulation/decisions.ts';
import type { FakeCall } from '../simulation/call-player.ts';
import type { FakeConfig } from './fake-config.ts';

/**
 * Makes what makes the calls of a run.
 * @param secrets of tools whose own code runs; others are `test-NAME`
 * @param memoryTools the built-in tools of memory, which a fake of the same name replaces
 * @param onProgress receives what the code of a call reports
 */
export function createFakeCalls(
  { config, models, answered, configured }: FakeConfig,
  secrets: Readonly<Record<string, string>>,
  memoryTools: Readonly<Record<string, Tool>>,
  onProgress: (key: string, value: Json) => void,
): (task: CallTask) => FakeCall {
  const { nodeTypes, tokenCounters, messageProcessors } = config;
  const tools = { ...memoryTools, ...toFakeTools(config, secrets) };
  const known = { ...answered, tool: [...answered.tool, ...Object.keys(memoryTools)] };
  const openProgress = toOpenProgress(onProgress);
  const kinds = {
    model: modelCalls({
      models: mapValues(models, createOwnModel),
      tools,
      measures: measureModels(config.models, tokenCounters),
      messageProcessors,
    }),
    tool: toolCalls(tools, NO_LOG, keepNoFile, openProgress),
    reading: createReadings(tools),
    function: functionCalls(config.functions, NO_LOG, openProgress),
    node: nodeCalls(Object.fromEntries(nodeTypes.map((type) => [type.name, type]))),
  };
  return (task) => {
    const { request } = task;
    const kind = request.kind === 'reading' ? 'tool' : request.kind;
    if (!known[kind].includes(calleeOf(request).name)) return missingFake(task, kind, { answered, configured });
    switch (request.kind) {
      case 'model':
        return toFakeCall(kinds.model, { ...task, request });
      case 'tool':
        return toFakeCall(kinds.tool, { ...task, request });
      case 'function':
        return toFakeCall(kinds.function, { ...task, request });
      case 'node':
        return toFakeCall(kinds.node, { ...task, request });
      case 'reading':
        return toFakeCall(kinds.reading, { ...task, request });
    }
  };
}

function toOpenProgress(onProgress: (key: string, value: Json) => void): OpenProgress {
  return ({ key }, _attempt, logger) => ({
    report(value) {
      const json = toProgressValue(logger, value);
      if (json !== undefined) onProgress(key, json);
    },
    close: () => undefined,
  });
}

/** A call that ends the test, because there is no fake for it. */
function missingFake(
  { request, node }: CallTask,
  kind: keyof typeof CALL_KIND_NAMES,
  { answered, configured }: Pick<FakeConfig, 'answered' | 'configured'>,
): FakeCall {
  const { name } = calleeOf(request);
  const known = answered[kind];
  const message = `The node "${node}" calls the ${CALL_KIND_NAMES[kind]} "${name}", and the test has no fake for it.${didYouMean(name, known)}`;
  const has = known.length === 0 ? `It has no ${CALL_KIND_NAMES[kind]}` : `It has ${known.join(', ')}`;
  const terms = kind === 'model' || kind === 'tool' ? kind : null;
  const hint = terms && configured[terms].includes(name) ? ` ${TERMS_ONLY[terms]}` : '';
  return { safety: 'idempotent', execute: () => Promise.reject(new MissingAnswerError(`${message} ${has}.${hint}`)) };
}

/** What to add for a model or tool that the configuration has, whose code no test runs unasked. */
const TERMS_ONLY = {
  model: 'The configuration gives only the price and the settings of a model: add it to "models".',
  tool: 'The configuration gives only the schema and the settings of a tool: add it to "tools", with its own code or a fake.',
} as const;

const CALL_KIND_NAMES = { model: 'model', tool: 'tool', function: 'function', node: 'node type' } as const;

function toFakeTools({ tools }: Config, secrets: Readonly<Record<string, string>>): Readonly<Record<string, Tool>> {
  const deps = {
    secrets: async (name: string) => own(secrets, name) ?? `test-${name}`,
    heartbeat: () => undefined,
  };
  const coded = tools.flatMap((tool) => ('url' in tool ? [] : [tool]));
  return Object.fromEntries(
    coded.map((tool) => [tool.name, 'schema' in tool ? createCodeTool(tool, deps) : tool] as const),
  );
}

function toFakeCall<R extends CallRequest>(kind: CallBehavior<R>, task: CallTask<R>): FakeCall {
  return {
    safety: kind.safety(task.request),
    execute: async (attempt) => await kind.execute(task, new AbortController().signal, { attempt }),
  };
}
