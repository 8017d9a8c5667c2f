import type { Client } from '../../client/index.ts';
import type { Config } from '../../config/load-config.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { toJsonObject } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import {
  checkExpectations,
  describeFailedVerdict,
  runCase,
  runJudge,
  toJudgeCall,
  toVerdict,
} from '../../testing/evaluation/index.ts';
import type { Judge, JudgeCall, ObservedRun, Spending, TestCase, Verdict } from '../../testing/evaluation/index.ts';

/** One run of a case, with what its judges said. */
export interface Trial {
  /** One line for each deviation. */
  readonly failures: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly spent: Spending;
}

/** Runs cases and the calls of their judges, in memory or on a server. */
export interface CaseRunner {
  run(graph: GraphDefinition, testCase: TestCase): Promise<ObservedRun>;
  /** @param at the number of the judge in its case, from 0 */
  ask(judge: Judge, call: JudgeCall, testCase: TestCase, at: number): Promise<ObservedRun>;
}

/** Models, tools, people and judges answer as the case says. */
export function runsInMemory(config: Config): CaseRunner {
  return {
    run: async (graph, testCase) => await runCase(graph, testCase, config),
    ask: async (judge, call, { answers }, at) => await runJudge(call, judge, answers.judges[at], config),
  };
}

/** The server's models and tools answer; each judge is a run of its own. */
export function runsOnServer(client: Client): CaseRunner {
  return {
    run: async (graph, { input }) => await runLive(client, graph, toJsonObject(input)),
    ask: async (_judge, { graph, input }) => await runLive(client, graph, input),
  };
}

/** Runs a case once. Judges are asked only about a run with the expected status. */
export async function tryCase(runner: CaseRunner, graph: GraphDefinition, testCase: TestCase): Promise<Trial> {
  const { expect, input } = testCase;
  const run = await runner.run(graph, testCase);
  const verdicts: Verdict[] = [];
  const judges = run.status === expect.status ? expect.judge : [];
  for (const [at, judge] of judges.entries()) {
    const call = toJudgeCall(judge, toJsonObject(input), run);
    verdicts.push(toVerdict(judge, await runner.ask(judge, call, testCase, at)));
  }
  const failures = [...checkExpectations(expect, run), ...verdicts.flatMap((one) => describeFailedVerdict(one) ?? [])];
  return { failures, verdicts, spent: run.spent };
}

/** Runs a graph on a server until it ends or waits for a person. @throws HoldfastError */
export async function runLive({ runs }: Client, graph: GraphDefinition, input: JsonObject): Promise<ObservedRun> {
  const began = performance.now();
  const { id } = await runs.start({ graph, input });
  const path: string[] = [];
  const tools: string[] = [];
  const events = runs.follow(id, { until: 'rest' });
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) {
      const { status, output, error, usage } = value;
      const { costUsd, inputTokens, outputTokens } = usage;
      const spent = { costUsd, inputTokens, outputTokens, latencyMs: performance.now() - began };
      const { values: state } = await runs.state(id);
      const failure = error && `${error.code} ${error.message}`;
      return { id, status, path, tools, state, output, spent, error: failure };
    }
    if (value.type === 'node.started') path.push([...(value.path ?? []), value.node].join('/'));
    if (value.type === 'tool.called') tools.push(value.tool);
  }
}
