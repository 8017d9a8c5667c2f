/** The facts of an error that quote no value: log lines have them where its text must stay hidden. */
export interface ErrorWithoutText {
  /** The class. */
  readonly type: string;
  readonly code?: string | number;
  /** The positions at which the error was thrown, one per line. */
  readonly stack: string;
}

/** Describes an error without its text and its members. @param code what the error names as its code */
export function withoutText(error: Error, code: unknown): ErrorWithoutText {
  return { type: error.constructor.name, ...(isCode(code) && { code }), stack: positionsOf(error) };
}

/** True for a number, or a word as codes are; other texts may be anything. */
function isCode(code: unknown): code is string | number {
  return typeof code === 'number' || (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$|^[0-9A-Z]{5}$/.test(code));
}

const POSITION = /^\s*at .*[^\s:]:\d+:\d+\)?$|^\s*at .*\((?:native|<anonymous>|index \d+)\)$/;
/** In characters. */
const MAX_POSITIONS = 2_000;

/** Returns the lines of a stack that are positions in code. The text of the error comes before them. */
function positionsOf({ stack = '', message }: Error): string {
  const start = message === '' ? 0 : Math.max(0, stack.indexOf(message)) + message.length;
  const lines = stack.slice(start).split('\n');
  return lines
    .flatMap((line) => (POSITION.test(line) ? [line.trim()] : []))
    .join('\n')
    .slice(0, MAX_POSITIONS);
}
