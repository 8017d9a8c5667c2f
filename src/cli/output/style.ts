import { inspect, styleText } from 'node:util';
import type { RunStatus } from '../../client/index.ts';
import { escapeInvisible } from '../../graph/values/index.ts';
import type { Tone } from '../../wording/index.ts';
import type { Output, Terminal } from '../line/command.ts';

/** Gives a text the look of its tone, and escapes its control characters. A painted text can't be painted again. */
export type Paint = (tone: Tone | null, text: string) => string;

type Environment = Terminal['env'];

const STYLES = {
  success: 'green',
  failure: 'red',
  attention: 'yellow',
  quiet: 'dim',
  heading: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** Returns how to paint texts for a stream: with colors if it shows them, and as plain text otherwise. */
export function paintFor(output: Output, env: Environment): Paint {
  if (!showsColors(output, env)) return (_, text) => escapeInvisible(text);
  return (tone, text) => {
    const escaped = escapeInvisible(text);
    return tone === null ? escaped : styleText(STYLES[tone], escaped, { validateStream: false });
  };
}

/**
 * True for a terminal. A non-empty `NO_COLOR` (no-color.org) turns colors off; `FORCE_COLOR` turns them on for any
 * stream, unless it is `0` or `false`.
 */
function showsColors({ isTTY = false }: Output, { NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return !FORCE_OFF.has(FORCE_COLOR);
  return isTTY && TERM !== 'dumb';
}

const FORCE_OFF: ReadonlySet<string> = new Set(['0', 'false']);

/** The codes that begin and end `STYLES`. */
const STYLE_CODES = new RegExp(
  `(\u{1B}\\[(?:${Object.values(STYLES)
    .flatMap((style) => inspect.colors[style] ?? [])
    .join('|')})m)`,
  'u',
);

/** Wraps a stream so that control characters are escaped, except for the codes of a `Paint`. */
export function escapedOutput(output: Output, env: Environment): Output {
  const isColored = showsColors(output, env);
  return {
    isTTY: output.isTTY,
    write: (text) =>
      output.write(
        isColored
          ? text
              .split(STYLE_CODES)
              .map((part, index) => (index % 2 === 1 ? part : escapeInvisible(part)))
              .join('')
          : escapeInvisible(text),
      ),
  };
}

/** The tones of what is printed about a run, by its status. */
export const TONE_BY_STATUS: Readonly<Record<RunStatus, Tone | null>> = {
  queued: null,
  running: null,
  waiting: 'attention',
  paused: 'attention',
  completed: 'success',
  failed: 'failure',
  canceled: 'attention',
};
