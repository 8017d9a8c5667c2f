import type { Config } from '../../config/load-config.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { mapValues, toJson } from '../../graph/values/index.ts';
import { MissingAnswerError } from '../../simulation/decisions.ts';
import { playGraph } from '../run-graph.ts';
import { scriptedModel } from '../scripted-model.ts';
import type { TestRun } from '../test-run.ts';
import type { ObservedRun } from './observed-run.ts';
import type { Judge, JudgeCall } from './judge.ts';
import type { TestCase } from './test-case.ts';

/**
 * Runs a case of a data set in memory, with its own answers.
 * @param config has the facts of models and tools, and the functions
 * @throws MissingAnswerError, InvalidGraphError, TypeError as `runGraph`
 */
export async function runCase(
  graph: GraphDefinition,
  { input, answers }: TestCase,
  config: Config,
): Promise<ObservedRun> {
  const { models, tools, functions, nodeTypes, decisions, events } = answers;
  const run = await playGraph(graph, input, {
    config,
    options: {
      models: mapValues(models, scriptedModel),
      tools: mapValues(tools, answerInOrder),
      functions: mapValues(functions, answerInOrder),
      nodeTypes: mapValues(nodeTypes, answerInOrder),
      decisions,
      events,
    },
  });
  return toObservedRun(run);
}

/** A fake that gives a list of values, one a call. */
function answerInOrder(values: readonly Json[], name: string): () => Json {
  let at = 0;
  return () => {
    const value = values[at++];
    if (value !== undefined) return value;
    throw new MissingAnswerError(`"${name}" is called for the ${at}. time, and the case has ${values.length} answers`);
  };
}

/**
 * Plays the call of a judge in memory.
 * @param answer of the judge's model in the case; without one the judge gives no score
 */
export async function runJudge(
  { graph, input }: JudgeCall,
  { model }: Pick<Judge, 'model'>,
  answer: TestCase['answers']['judges'][number] | undefined,
  config: Config,
): Promise<ObservedRun> {
  if (answer === undefined) return NO_ANSWER;
  const models = { [model]: () => answer };
  return toObservedRun(await playGraph(graph, input, { config, options: { models } }));
}

const NO_ANSWER: ObservedRun = {
  id: null,
  status: 'failed',
  path: [],
  output: null,
  state: {},
  tools: [],
  spent: { costUsd: 0, inputTokens: 0, outputTokens: 0, latencyMs: 0 },
  error: 'the case has no answer for it in answers.judges; with --live its model is asked',
};

function toObservedRun({ status, path, output, state, calls, usage, durationMs, error }: TestRun): ObservedRun {
  const { costUsd, inputTokens, outputTokens } = usage;
  return {
    id: null,
    status,
    path,
    output: output && toJson(output),
    state,
    tools: calls.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : [])),
    spent: { costUsd, inputTokens, outputTokens, latencyMs: durationMs },
    error: error && `${error.code} ${error.message}`,
  };
}
