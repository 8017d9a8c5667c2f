import { existsSync } from 'node:fs';
import { HoldfastError } from '../../client/index.ts';
import type { Client, Run } from '../../client/index.ts';
import { createEventFormatter, retryLine, toneOfEvent } from '../../wording/index.ts';
import type { Tone } from '../../wording/index.ts';
import { isJsonObject, parseDuration } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import {
  EXIT,
  RefusedError,
  UsageError,
  defineCommand,
  switchFlag,
  textFlag,
  textFlagOr,
  oneOperand,
} from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { describeRefusal, formatBodyIssues, formatIssues, formatRefusal } from '../output/format-refusal.ts';
import { formatOutcome, formatStep } from '../output/run-texts.ts';
import { TONE_BY_STATUS, paintFor } from '../output/style.ts';
import { readDefinition } from '../input/read-definition.ts';
import { LIMITS_FLAG, readLimitsFlag, readJsonObject } from '../input/read-flags.ts';
import { nextSteps } from './control.ts';

export const runCommand = defineCommand({
  name: 'run',
  summary: 'run a graph, and wait until it ends or needs somebody',
  operands: oneOperand('GRAPH', 'one graph: a file, or the name of a published one'),
  about: `Runs a graph on a Holdfast that is running, and waits until the run ends or waits for a person. GRAPH is a file (.json,
    or .ts that exports a graph), or the name of a published graph: NAME, NAME@VERSION or NAME@ALIAS. Progress goes to standard error, the run's output as JSON to standard output.`,
  flags: {
    input: textFlagOr('{}', 'JSON', "the run's input, or @FILE that holds it"),
    ...LIMITS_FLAG,
    ...accessFlags(),
    timeout: textFlag(
      'DURATION',
      'how long to wait, such as 30s or 5m (default: as long as it takes); the run continues all the same',
    ),
    json: switchFlag('prints the run instead of its output'),
    quiet: switchFlag('prints no progress'),
  },
  exits: {
    0: 'completed',
    1: 'failed, or the definition or its input is invalid',
    3: 'waits for a person or an event, or is paused',
    4: 'canceled',
    5: 'the time is up',
    ...API_EXITS,
  },
  async action({ values, given }, terminal) {
    const signal = readTimeoutFlag(values.timeout);
    const input = await readJsonObject('--input', values.input, 'the values of channels');
    const limits = await readLimitsFlag(values.limits);
    const source = await readSource(given);
    if ('fault' in source) {
      terminal.stderr.write(source.fault);
      return EXIT.failed;
    }
    const client = await openClient(values, terminal);
    const paint = paintFor(terminal.stderr, terminal.env);
    const print = (line: string, tone: Tone | null = null): void =>
      values.quiet ? undefined : void terminal.stderr.write(`${paint(tone, line)}\n`);
    const id = await submitRun(client, source, { input, ...limits }, terminal);
    if (id === null) return EXIT.failed;
    print(`Run ${id}`);
    print('STEP  EVENT');
    const stopPrinting = values.quiet ? () => {} : printRetries(client, id, print);
    const { ended, isLate } = await followUntilEnd(client, id, { signal, print }).finally(stopPrinting);
    terminal.stdout.write(`${JSON.stringify(values.json ? ended : ended.output, null, 2)}\n`);
    for (const line of await nextSteps(client, ended)) print(line, 'attention');
    print(formatOutcome(ended), TONE_BY_STATUS[ended.status]);
    return isLate ? EXIT.timedOut : EXIT_BY_STATUS[ended.status];
  },
});

function readTimeoutFlag(value: string | undefined): AbortSignal | undefined {
  if (value === undefined) return undefined;
  const timeoutMs = parseDuration(value);
  if (timeoutMs === null) throw new UsageError(`--timeout takes a duration such as 30s or 5m, not "${value}"`);
  return abortAfter(timeoutMs);
}

/** The graph of a run: the name of a published one, or the definition in a file. */
interface GraphSource {
  readonly graph: string | JsonObject;
  /** Formats the issues of a refused start. */
  readonly format: (error: HoldfastError) => string;
}

/**
 * @returns the graph, or the formatted fault of a file that has none
 * @throws UsageError if a file can't be read
 */
async function readSource(given: string): Promise<GraphSource | { readonly fault: string }> {
  const isFile = /[\\/]|\.(?:json|[cm]?[jt]s)$/.test(given) || existsSync(given);
  if (!isFile) return { graph: given, format: formatBodyIssues };
  const definition = await readDefinition(given);
  const { content, file } = definition;
  if ('fault' in content) return { fault: formatIssues(file, [content.fault]) };
  const { definition: graph } = content;
  if (!isJsonObject(graph)) throw new UsageError(`${file} holds no object, so no graph definition`);
  return { graph, format: (error) => formatRefusal(error, definition) };
}

interface RunStart {
  readonly input: JsonObject;
  readonly limits?: JsonObject;
}

/** @returns the run's id; `null` if the definition or the input is invalid, which has been printed */
async function submitRun(
  client: Client,
  { graph, format }: GraphSource,
  start: RunStart,
  { stderr }: Terminal,
): Promise<string | null> {
  try {
    return (await client.runs.start({ graph, ...start })).id;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (error.status === 404 && typeof graph === 'string')
      throw new RefusedError(`${describeRefusal(error)} There is no such file either`, { cause: error });
    if (error.status !== 422 && error.status !== 413) throw error;
    stderr.write(`${describeRefusal(error)}\n${format(error)}`);
    return null;
  }
}

interface FollowSettings {
  /** Stops the wait. */
  readonly signal: AbortSignal | undefined;
  readonly print: PrintLine;
}

type PrintLine = (line: string, tone?: Tone | null) => void;

/** Prints the events of a run until it ends or needs a person. */
async function followUntilEnd(
  { runs }: Client,
  id: string,
  { signal, print }: FollowSettings,
): Promise<{ readonly ended: Run; readonly isLate: boolean }> {
  const events = runs.follow(id, { until: 'rest', signal });
  const format = createEventFormatter();
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) return { ended: value, isLate: false };
      const line = format(value);
      if (line !== null) print(`${formatStep(value.step)}  ${line}`, toneOfEvent(value));
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return { ended: await runs.get(id), isLate: true };
  }
}

const EXIT_BY_STATUS: Readonly<Record<Run['status'], number>> = {
  queued: EXIT.timedOut,
  running: EXIT.timedOut,
  waiting: EXIT.waits,
  paused: EXIT.waits,
  completed: EXIT.done,
  failed: EXIT.failed,
  canceled: EXIT.canceled,
};

/** Node's longest timer, 24 days: a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returns a signal that aborts after a time. `AbortSignal.timeout` does not accept more than `LONGEST_TIMER_MS`. */
export function abortAfter(ms: number): AbortSignal {
  const ending = new AbortController();
  const endsAt = performance.now() + ms;
  const look = (): void => {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) ending.abort(new DOMException('The time is up', 'TimeoutError'));
    else setTimeout(look, Math.min(leftMs, LONGEST_TIMER_MS)).unref();
  };
  look();
  return ending.signal;
}

/** No event reports a retried attempt, so the run is polled. */
const POLL_EVERY_MS = 1_000;

/** Prints each failed and retried attempt of a run once. @returns a function that stops it */
export function printRetries({ runs }: Pick<Client, 'runs'>, id: string, print: (line: string) => void): () => void {
  const printed = new Set<string>();
  let looking: Promise<void> | null = null;
  let isOver = false;
  const look = async (): Promise<void> => {
    const { retrying } = await runs.get(id);
    if (isOver) return;
    for (const retry of retrying) {
      const key = `${retry.node} ${retry.index} ${retry.attempt} ${retry.nextAttemptAt}`;
      if (!printed.has(key)) print(`      ${retryLine(retry)}`);
      printed.add(key);
    }
  };
  // Errors of this request are ignored: following the run reports them.
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = null));
  }, POLL_EVERY_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
