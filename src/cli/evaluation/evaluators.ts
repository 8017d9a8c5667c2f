import type { Client } from '../../client/index.ts';
import type { Config } from '../../config/load-config.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { messageOf, toJsonObject } from '../../graph/values/index.ts';
import {
  checkExpectations,
  describeDifference,
  passRate,
  playRecording,
  runCase,
} from '../../testing/evaluation/index.ts';
import type { RecordingDivergence } from '../../testing/evaluation/index.ts';
import { RefusedError } from '../line/command.ts';
import { runLive } from './live-run.ts';
import type { EvaluationResult } from './result.ts';
import type { Subject } from './subject.ts';

/** Evaluates one subject. */
export type Evaluator = (subject: Subject) => Promise<EvaluationResult>;

export interface OfflineOptions {
  /** Recorded runs play this graph instead of their own; `null`: they play their own. */
  readonly graph: GraphDefinition | null;
  /** The facts of models and tools for data sets. */
  readonly config: Config;
  /** Only status, path, output and error of a recorded run count, not each event. */
  readonly byOutcome: boolean;
}

/** Plays recorded runs and cases in memory. */
export function offline(options: OfflineOptions): Evaluator {
  return async (subject) => {
    const began = performance.now();
    const failures = await playOffline(subject, options).catch((error: unknown) => [messageOf(error)]);
    return toResult(subject, { failures, durationMs: performance.now() - began, rate: null });
  };
}

async function playOffline(subject: Subject, { graph, config, byOutcome }: OfflineOptions): Promise<readonly string[]> {
  if (subject.kind === 'case')
    return checkExpectations(subject.testCase.expect, await runCase(subject.graph, subject.testCase, config));
  const { divergence, changed } = playRecording(subject.test, graph ? { graph } : {});
  const changes = changed.map(({ what, ...difference }) => describeDifference(what, difference));
  if (byOutcome || !divergence) return changes;
  return [describeDivergence(divergence), ...changes];
}

function describeDivergence({ where, ...difference }: RecordingDivergence): string {
  const { path, actual } = difference;
  return path === '' && typeof actual === 'string'
    ? `${actual}, expected ${where}`
    : describeDifference(`${where}: `, difference);
}

export interface LiveOptions {
  readonly client: Client;
  /** The graph to run; `null`: that of the subject. */
  readonly graph: GraphDefinition | null;
  readonly trials: number;
  /** The share of trials that has to pass, from 0 to 1. */
  readonly minRate: number;
}

/** Runs subjects on a server, several times each. Of a recorded run status and path count: models vary in their words. */
export function live({ client, graph, trials, minRate }: LiveOptions): Evaluator {
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
    return toResult(subject, { failures: isEnough ? [] : failures, durationMs, rate: passRate(passed, trials) });
  };
}

async function runTrial(
  subject: Subject,
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

function toResult(
  { file, name }: Subject,
  result: Pick<EvaluationResult, 'failures' | 'durationMs' | 'rate'>,
): EvaluationResult {
  return { file, name, ...result };
}
