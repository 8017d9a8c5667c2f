import type { Client } from '../../client/index.ts';
import type { Config } from '../../config/load-config.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { messageOf, parseDocument } from '../../graph/values/index.ts';
import {
  checkExpectations,
  describeDifference,
  describeUnplayed,
  passRate,
  playRecording,
  readTestCase,
  readRecordedTest,
} from '../../testing/evaluation/index.ts';
import type { RecordingDivergence, RecordedTest, TestCase } from '../../testing/evaluation/index.ts';
import { RefusedError, UsageError } from '../line/command.ts';
import { readTextFile } from '../input/read-definition.ts';
import { describeScore, measureTrials } from './measures.ts';
import type { EvaluationResult } from './measures.ts';
import { runLive, runsInMemory, runsOnServer, tryCase } from './trials.ts';
import type { Trial } from './trials.ts';

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
      measures: null,
    }));
    return toEvaluationResult(subject, { ...found, durationMs: performance.now() - began, rate: null });
  };
}

async function playOffline(
  subject: EvaluationSubject,
  { graph, config, byOutcome }: OfflineOptions,
): Promise<Findings> {
  if (subject.kind === 'case')
    return toFindings([await tryCase(runsInMemory(config), subject.graph, subject.testCase)]);
  const { divergence, changed, unplayed } = playRecording(subject.test, graph ? { graph } : {});
  const changes = changed.map(({ what, ...difference }) => describeDifference(what, difference));
  const failures = byOutcome || !divergence ? changes : [describeDivergence(divergence), ...changes];
  return { failures, notes: unplayed.map(describeUnplayed), measures: null };
}

type Findings = Pick<EvaluationResult, 'failures' | 'notes' | 'measures'>;

function toFindings(trials: readonly Trial[]): Findings {
  const measures = measureTrials(trials);
  const failures = trials.flatMap((trial, at) =>
    trial.failures.map((failure) => (trials.length === 1 ? failure : `trial ${at + 1}: ${failure}`)),
  );
  return { failures, notes: measures.scores.map(describeScore), measures };
}

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
export function createLiveEvaluator({ client, graph, trials: count, minRate }: LiveOptions): Evaluator {
  return async (subject) => {
    const began = performance.now();
    const trials: Trial[] = [];
    for (let trial = 1; trial <= count; trial++) trials.push(await runTrial(subject, { client, graph }));
    const passed = trials.filter(({ failures }) => failures.length === 0).length;
    const { failures, ...found } = toFindings(trials);
    return toEvaluationResult(subject, {
      ...found,
      failures: passed / count >= minRate ? [] : failures,
      durationMs: performance.now() - began,
      rate: passRate(passed, count),
    });
  };
}

async function runTrial(
  subject: EvaluationSubject,
  { client, graph }: Pick<LiveOptions, 'client' | 'graph'>,
): Promise<Trial> {
  if (subject.kind === 'case') return await tryCase(runsOnServer(client), subject.graph, subject.testCase);
  const { recording, expect } = subject.test;
  if (recording.begin.kind !== 'input') throw new RefusedError(`${subject.file} is a fork, which has no input to run`);
  const run = await runLive(client, graph ?? recording.definition, recording.begin.input);
  const { status, path } = expect;
  const expected: Pick<TestCase['expect'], 'status' | 'path'> = {
    status: status === 'running' || status === 'queued' ? 'completed' : status,
    path: [...path],
  };
  return { failures: checkExpectations(expected, run), verdicts: [], spent: run.spent };
}

function toEvaluationResult(
  { file, name }: EvaluationSubject,
  result: Omit<EvaluationResult, 'file' | 'name'>,
): EvaluationResult {
  return { file, name, ...result };
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
