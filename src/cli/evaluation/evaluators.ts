import type { Client } from '../../client/index.ts';
import type { Config } from '../../config/load-config.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { messageOf, parseDocument, toJsonObject } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import {
  checkExpectations,
  describeDifference,
  describeUnplayed,
  passRate,
  playRecording,
  runCase,
  readTestCase,
  readRecordedTest,
} from '../../testing/evaluation/index.ts';
import type { RecordingDivergence, ObservedRun, RecordedTest, TestCase } from '../../testing/evaluation/index.ts';
import { RefusedError, UsageError } from '../line/command.ts';
import type { EvaluationResult } from './reporters.ts';
import { readTextFile } from '../input/read-definition.ts';

/** Evaluates one subject. */
export type Evaluator = (subject: EvaluationSubject) => Promise<EvaluationResult>;

export interface OfflineOptions {
  /** The graph that replaces the graphs of recorded runs; `null` keeps their own. */
  readonly graph: GraphDefinition | null;
  /** The configuration with the models and tools of data sets. */
  readonly config: Config;
  /** True to compare only status, path, output and error of a recorded run, not each event. */
  readonly byOutcome: boolean;
}

/** Runs recorded runs and cases in memory. */
export function createOfflineEvaluator(options: OfflineOptions): Evaluator {
  return async (subject) => {
    const began = performance.now();
    const found = await playOffline(subject, options).catch((error: unknown) => ({
      failures: [messageOf(error)],
      notes: [],
    }));
    return toEvaluationResult(subject, { ...found, durationMs: performance.now() - began, rate: null });
  };
}

async function playOffline(
  subject: EvaluationSubject,
  { graph, config, byOutcome }: OfflineOptions,
): Promise<Findings> {
  if (subject.kind === 'case') {
    const failures = checkExpectations(subject.testCase.expect, await runCase(subject.graph, subject.testCase, config));
    return { failures, notes: [] };
  }
  const { divergence, changed, unplayed } = playRecording(subject.test, graph ? { graph } : {});
  const changes = changed.map(({ what, ...difference }) => describeDifference(what, difference));
  const failures = byOutcome || !divergence ? changes : [describeDivergence(divergence), ...changes];
  return { failures, notes: unplayed.map(describeUnplayed) };
}

type Findings = Pick<EvaluationResult, 'failures' | 'notes'>;

function describeDivergence({ where, ...difference }: RecordingDivergence): string {
  const { path, actual } = difference;
  return path === '' && typeof actual === 'string'
    ? `${actual}, expected ${where}`
    : describeDifference(`${where}: `, difference);
}

export interface LiveOptions {
  readonly client: Client;
  /** The graph to run; `null` takes that of the subject. */
  readonly graph: GraphDefinition | null;
  readonly trials: number;
  /** The share of trials that must pass, from 0 to 1. */
  readonly minRate: number;
}

/**
 * Runs each subject several times on a server. Of a recorded run only status and path are compared, because the texts
 * of models vary.
 */
export function createLiveEvaluator({ client, graph, trials, minRate }: LiveOptions): Evaluator {
  return async (subject) => {
    const began = performance.now();
    const failures: string[] = [];
    let passed = 0;
    for (let trial = 1; trial <= trials; trial++) {
      const found = await runTrial(subject, { client, graph });
      if (found.length === 0) passed += 1;
      failures.push(...found.map((failure) => (trials === 1 ? failure : `trial ${trial}: ${failure}`)));
    }
    const isEnough = passed / trials >= minRate;
    const durationMs = performance.now() - began;
    return toEvaluationResult(subject, {
      failures: isEnough ? [] : failures,
      notes: [],
      durationMs,
      rate: passRate(passed, trials),
    });
  };
}

async function runTrial(
  subject: EvaluationSubject,
  { client, graph }: Pick<LiveOptions, 'client' | 'graph'>,
): Promise<readonly string[]> {
  if (subject.kind === 'case') {
    const { testCase } = subject;
    const input = toJsonObject(testCase.input);
    return checkExpectations(testCase.expect, await runLive(client, { graph: subject.graph, input }));
  }
  const { recording, expect } = subject.test;
  if (recording.begin.kind !== 'input') throw new RefusedError(`${subject.file} is a fork, which has no input to run`);
  const { input } = recording.begin;
  const run = await runLive(client, { graph: graph ?? recording.definition, input });
  const { status, path } = expect;
  return checkExpectations(
    { status: status === 'running' || status === 'queued' ? 'completed' : status, path: [...path] },
    run,
  );
}

function toEvaluationResult(
  { file, name }: EvaluationSubject,
  result: Omit<EvaluationResult, 'file' | 'name'>,
): EvaluationResult {
  return { file, name, ...result };
}

/** A run to start on a server. */
export interface LiveStart {
  readonly graph: GraphDefinition;
  readonly input: JsonObject;
}

/** Runs a graph on a server until it ends or waits for a person. @throws HoldfastError */
async function runLive({ runs }: Client, start: LiveStart): Promise<ObservedRun> {
  const { id } = await runs.start(start);
  const path: string[] = [];
  const tools: string[] = [];
  const events = runs.follow(id, { until: 'rest' });
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) {
      const { status, output, error, usage } = value;
      const { values: state } = await runs.state(id);
      const failure = error && `${error.code} ${error.message}`;
      return { status, path, tools, state, output, costUsd: usage.costUsd, error: failure };
    }
    if (value.type === 'node.started') path.push([...(value.path ?? []), value.node].join('/'));
    if (value.type === 'tool.called') tools.push(value.tool);
  }
}

/** A subject of an evaluation: a recorded run, or a line of a data set. */
export type EvaluationSubject = { readonly file: string; readonly name: string } & (
  | { readonly kind: 'recorded'; readonly test: RecordedTest }
  | { readonly kind: 'case'; readonly graph: GraphDefinition; readonly testCase: TestCase }
);

/**
 * Reads a file: `.jsonl` is a data set, anything else a recorded run.
 * @param graph the graph for the cases of data sets; `null` if none was given
 * @throws UsageError that names the file and the line
 */
export async function readSubjects(file: string, graph: GraphDefinition | null): Promise<readonly EvaluationSubject[]> {
  const text = await readTextFile(file);
  if (!file.endsWith('.jsonl')) {
    const test = parseJsonAs(text, file, readRecordedTest);
    return [{ kind: 'recorded', file, name: test.recording.definition.name, test }];
  }
  if (!graph) throw new UsageError(`${file} is a data set: give its graph by --graph FILE`);
  const lines = text.split('\n').map((line, at) => ({ line, number: at + 1 }));
  const cases = lines.flatMap(({ line, number }): EvaluationSubject[] => {
    if (line.trim() === '') return [];
    const testCase = parseJsonAs(line, `${file}:${number}`, readTestCase);
    return [{ kind: 'case', file, name: testCase.name ?? `line ${number}`, graph, testCase }];
  });
  if (cases.length === 0) throw new UsageError(`${file} has no cases`);
  return cases;
}

function parseJsonAs<T>(text: string, origin: string, read: (value: unknown) => T): T {
  try {
    return read(parseDocument(text));
  } catch (error) {
    throw new UsageError(`${origin}: ${messageOf(error)}`, { cause: error });
  }
}
