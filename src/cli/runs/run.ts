import { HoldfastError } from '../../client/index.ts';
import type { Client, Run } from '../../client/index.ts';
import { formatEvent, formatOrigin, retryLine, toneOfEvent } from '../../wording/index.ts';
import type { Tone } from '../../wording/index.ts';
import { isJsonObject, parseDuration } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT, UsageError, defineCommand, switchFlag, textFlag, textFlagOr, oneOperand } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { TONE_BY_STATUS, paintFor } from '../output/style.ts';
import { describeRefusal, formatIssues, formatRefusal } from '../output/format-refusal.ts';
import { readDefinition } from '../input/read-definition.ts';
import type { DefinitionFile } from '../input/read-definition.ts';
import { LIMITS_FLAG, readLimitsFlag, readJsonObject } from '../input/read-flags.ts';
import { nextSteps } from './control.ts';

export const runCommand = defineCommand({
  name: 'run',
  summary: 'run a graph, and wait until it ends or needs somebody',
  operands: oneOperand('FILE', 'one file'),
  about: `Runs a graph definition (.json, or .ts that exports a graph) on a Holdfast that is running, and waits until the
    run ends or waits for a person. Progress goes to standard error, the run's output as JSON to standard output.`,
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
  async action({ values, given: file }, terminal) {
    const signal = readTimeoutFlag(values.timeout);
    const input = await readJsonObject('--input', values.input, 'the values of channels');
    const limits = await readLimitsFlag(values.limits);
    const definition = await readDefinition(file);
    const client = await openClient(values, terminal);
    const paint = paintFor(terminal.stderr, terminal.env);
    const print = (line: string, tone: Tone | null = null): void =>
      values.quiet ? undefined : void terminal.stderr.write(`${paint(tone, line)}\n`);
    const id = await submitRun(client, { file: definition, start: { input, ...limits } }, terminal);
    if (id === null) return EXIT.failed;
    print(`Run ${id}`);
    const stopPrinting = values.quiet ? () => {} : printRetries(client, id, print);
    const { ended, isLate } = await followUntilEnd(client, id, { signal, print }).finally(stopPrinting);
    terminal.stdout.write(`${JSON.stringify(values.json ? ended : ended.output, null, 2)}\n`);
    for (const line of await nextSteps(client, ended)) print(line, 'attention');
    print(formatRunStatus(ended), TONE_BY_STATUS[ended.status]);
    return isLate ? EXIT.timedOut : EXIT_BY_STATUS[ended.status];
  },
});

function readTimeoutFlag(value: string | undefined): AbortSignal | undefined {
  if (value === undefined) return undefined;
  const timeoutMs = parseDuration(value);
  if (timeoutMs === null) throw new UsageError(`--timeout takes a duration such as 30s or 5m, not "${value}"`);
  return abortAfter(timeoutMs);
}

interface RunSubmission {
  readonly file: DefinitionFile;
  readonly start: { readonly input: JsonObject; readonly limits?: JsonObject };
}

/** @returns the run's id; `null` if the definition or the input is invalid, which has been printed */
async function submitRun(client: Client, { file, start }: RunSubmission, { stderr }: Terminal): Promise<string | null> {
  if ('fault' in file.content) {
    stderr.write(formatIssues(file.file, [file.content.fault]));
    return null;
  }
  const { definition: graph } = file.content;
  if (!isJsonObject(graph)) throw new UsageError(`${file.file} holds no object, so no graph definition`);
  try {
    return (await client.runs.start({ graph, ...start })).id;
  } catch (error) {
    if (!(error instanceof HoldfastError) || (error.status !== 422 && error.status !== 413)) throw error;
    stderr.write(`${describeRefusal(error)}\n${formatRefusal(error, file)}`);
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
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) return { ended: value, isLate: false };
      const line = formatEvent(value);
      if (line !== null) print(`${String(value.step).padStart(3)}  ${line}`, toneOfEvent(value));
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

function formatRunStatus({ id, status, waitingFor, error }: Run): string {
  const waits = waitingFor.map(
    ({ kind, node, id: what }) => `${kind} at ${node}${what === undefined ? '' : ` (${what})`}`,
  );
  const cause = error?.cause && error.cause.message !== error.message ? ` (${error.cause.message})` : '';
  const reason = error ? `: ${error.code} ${error.message}${cause}${formatOrigin(error)}` : '';
  const state = STATE_IN_WORDS[status];
  const waiting = waits.length === 0 ? '' : `${status === 'waiting' ? '' : ', and waits'} for ${waits.join(', ')}`;
  return `Run ${id} ${state}${waiting}${reason}`;
}

const STATE_IN_WORDS: Readonly<Record<Run['status'], string>> = {
  queued: 'is queued',
  running: 'is running',
  waiting: 'waits',
  paused: 'is paused',
  completed: 'is completed',
  failed: 'has failed',
  canceled: 'was canceled',
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
      if (!printed.has(key)) print(`     ${retryLine(retry)}`);
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
