import { setTimeout as sleep } from 'node:timers/promises';
import { open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { escapeInvisible, messageOf } from '../../graph/values/index.ts';
import { logFileIn } from '../../dev/data-folder.ts';
import { readChoiceFlag, readCountFlag } from '../input/read-flags.ts';
import { EXIT, UsageError, defineCommand, switchFlag, textFlag, textFlagOr, NO_OPERANDS } from '../line/command.ts';
import { DATA_DIR_FLAG } from './start.ts';

/** The levels of log lines, as pino numbers them. */
const LOG_LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;

const LogLineSchema = z.looseObject({ level: z.number(), time: z.number(), msg: z.string().default('') });
const WithStack = z.looseObject({ stack: z.string() });

/** Formats a line of the log for people; `null` for any other line, or for one below the level. */
export function formatLogLine(line: string, least: number): string | null {
  const parsed = LogLineSchema.safeParse(parseLogLine(line)).data;
  if (!parsed || parsed.level < least) return null;
  const { level, time, msg, ...fields } = parsed;
  const name = Object.entries(LOG_LEVELS).findLast(([, from]) => level >= from)?.[0] ?? 'trace';
  const facts = Object.entries(fields).flatMap(([key, value]) =>
    SDK_FIELDS.has(key) || hasStack(key, value) ? [] : [`${key}=${formatField(value)}`],
  );
  const stacks = Object.entries(fields).flatMap(([key, value]) => stackInField(key, value) ?? []);
  const head = [new Date(time).toISOString(), name.toUpperCase().padEnd(5), msg, ...facts].join(' ');
  return [head, ...stacks.flatMap((stack) => stack.split('\n').map((frame) => `    ${frame}`))]
    .map(escapeInvisible)
    .join('\n');
}

/** Fields that Temporal's SDK adds to a call. They are omitted because the engine's own fields identify the call. */
const SDK_FIELDS: ReadonlySet<string> = new Set([
  'activityId',
  'activityType',
  'isLocal',
  'namespace',
  'sdkComponent',
  'taskQueue',
  'taskToken',
  'workflowId',
  'workflowRunId',
  'workflowType',
]);

function hasStack(key: string, value: unknown): boolean {
  return stackInField(key, value) !== null;
}

function stackInField(key: string, value: unknown): string | null {
  if (key === 'stack' && typeof value === 'string') return value;
  return WithStack.safeParse(value).data?.stack ?? null;
}

function formatField(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseLogLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const logsCommand = defineCommand({
  name: 'logs',
  summary: 'print the log of a stack on this machine',
  operands: NO_OPERANDS,
  about: 'Prints the last lines of the log of a local stack, with the stacks of errors, for people to read.',
  flags: {
    follow: switchFlag('goes on with what is added, until Ctrl-C'),
    level: textFlagOr('info', 'LEVEL', `the least level: ${Object.keys(LOG_LEVELS).join(', ')}`),
    run: textFlag('RUN', 'only lines that name this run'),
    last: textFlagOr('50', 'N', 'so many lines'),
    'data-dir': DATA_DIR_FLAG,
    'log-file': textFlag('FILE', 'the log, if it is elsewhere'),
    json: switchFlag('prints the lines as they are in the log, which are JSON'),
  },
  exits: { 0: 'printed' },
  async action({ values }, { stdout, interrupted }) {
    const format = createLineFormat(values);
    const last = readCountFlag('--last', values.last);
    const say = (lines: readonly string[]): void => {
      for (const line of lines) stdout.write(`${line}\n`);
    };
    const log = await openOrRefuse(values['log-file'] ?? logFileIn(values['data-dir']));
    try {
      say((await log.read()).flatMap(format).slice(-last));
      if (values.follow) await followLog(log, (lines) => say(lines.flatMap(format)), interrupted());
    } finally {
      await log.close();
    }
    return EXIT.done;
  },
});

interface LogFilter {
  readonly level: string;
  readonly run?: string | undefined;
  readonly json: boolean;
}

/** @returns a function that formats a line of the log, or omits it. @throws UsageError */
function createLineFormat({ level, run, json }: LogFilter): (line: string) => readonly string[] {
  const least = LOG_LEVELS[readChoiceFlag('--level', level, LOG_LEVELS)];
  return (line) => {
    if (run !== undefined && !line.includes(run)) return [];
    const formatted = formatLogLine(line, least);
    if (formatted === null) return [];
    return [json ? line : formatted];
  };
}

async function openOrRefuse(file: string): Promise<GrowingLog> {
  try {
    return await openGrowingLog(file);
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

/** File watchers miss writes that follow each other closely, so the log is polled. */
const POLL_EVERY_MS = 200;

/** Prints the lines of a log as they are added, until the signal aborts. @throws if the log becomes unreadable */
export async function followLog(
  log: GrowingLog,
  say: (lines: readonly string[]) => void,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    say(await log.read());
    await sleep(POLL_EVERY_MS, undefined, { signal: until }).catch(() => undefined);
  }
}

/** A growing log. Its file may be truncated or replaced. */
export interface GrowingLog {
  /** Reads the lines that were completed since the last call. */
  read(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a log at its first line. @throws if the file does not exist */
export async function openGrowingLog(file: string): Promise<GrowingLog> {
  let reader = await openReader(file);
  return {
    async read() {
      const isReplaced = await reader.isReplacedBy(file);
      // The replaced file is read to its end; nothing more is written to it.
      const lines = await reader.read();
      if (!isReplaced) return lines;
      const next = await openReader(file);
      await reader.close();
      reader = next;
      return [...lines, ...(await reader.read())];
    },
    close: async () => await reader.close(),
  };
}

interface LogReader extends GrowingLog {
  isReplacedBy(file: string): Promise<boolean>;
}

const CHUNK = 65_536;

/** Reads one file, also after it was renamed. */
async function openReader(file: string): Promise<LogReader> {
  const handle = await open(file);
  const { ino, dev } = await handle.stat();
  const buffer = Buffer.alloc(CHUNK);
  let decoder = new StringDecoder();
  let position = 0;
  let unfinished = '';
  return {
    async isReplacedBy(path) {
      const now = await stat(path).catch(() => null);
      return now !== null && (now.ino !== ino || now.dev !== dev);
    },
    async read() {
      if ((await handle.stat()).size < position) [decoder, position, unfinished] = [new StringDecoder(), 0, ''];
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        unfinished += decoder.write(buffer.subarray(0, bytesRead));
      }
      const lines = unfinished.split('\n');
      unfinished = lines.pop() ?? '';
      return lines;
    },
    close: async () => await handle.close(),
  };
}
