import { z } from 'zod';
import { escapeInvisible } from '../../graph/values/index.ts';

/** The levels of log lines, as pino numbers them. */
export const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;

const Line = z.looseObject({ level: z.number(), time: z.number(), msg: z.string().default('') });
const WithStack = z.looseObject({ stack: z.string() });

/** Formats a line of the log for people; `null`: it is no such line, or of a lower level. */
export function formatLogLine(line: string, least: number): string | null {
  const parsed = Line.safeParse(parseJson(line)).data;
  if (!parsed || parsed.level < least) return null;
  const { level, time, msg, ...fields } = parsed;
  const name = Object.entries(LEVELS).findLast(([, from]) => level >= from)?.[0] ?? 'trace';
  const facts = Object.entries(fields).flatMap(([key, value]) =>
    OF_TEMPORAL.has(key) || hasStack(key, value) ? [] : [`${key}=${toText(value)}`],
  );
  const stacks = Object.entries(fields).flatMap(([key, value]) => stackIn(key, value) ?? []);
  const head = [new Date(time).toISOString(), name.toUpperCase().padEnd(5), msg, ...facts].join(' ');
  return [head, ...stacks.flatMap((stack) => stack.split('\n').map((frame) => `    ${frame}`))]
    .map(escapeInvisible)
    .join('\n');
}

/** What Temporal's SDK says of a call besides: the engine's own fields name it for people. */
const OF_TEMPORAL: ReadonlySet<string> = new Set([
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
  return stackIn(key, value) !== null;
}

function stackIn(key: string, value: unknown): string | null {
  if (key === 'stack' && typeof value === 'string') return value;
  return WithStack.safeParse(value).data?.stack ?? null;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
