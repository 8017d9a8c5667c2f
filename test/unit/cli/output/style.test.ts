import { describe, expect, test } from 'vitest';
import { escapedOutput, paintFor } from '../../../../src/cli/output/style.ts';

const TERMINAL = { isTTY: true, write: () => undefined };
const PIPE = { write: () => undefined };

const IN_RED = '\u001B[31m';
const RED = `${IN_RED}broken\u001B[39m`;

describe('colors', () => {
  const cases: readonly [
    name: string,
    output: typeof TERMINAL | typeof PIPE,
    env: Record<string, string>,
    ok: boolean,
  ][] = [
    ['a terminal shows them', TERMINAL, {}, true],
    ['a pipe shows none', PIPE, {}, false],
    ['a dumb terminal shows none', TERMINAL, { TERM: 'dumb' }, false],
    ['NO_COLOR turns them off', TERMINAL, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR has no effect', TERMINAL, { NO_COLOR: '' }, true],
    ['FORCE_COLOR turns them on in a pipe', PIPE, { FORCE_COLOR: '1' }, true],
    ['an empty FORCE_COLOR turns them on', PIPE, { FORCE_COLOR: '' }, true],
    ['FORCE_COLOR=0 turns them off', TERMINAL, { FORCE_COLOR: '0' }, false],
    ['NO_COLOR wins over FORCE_COLOR', TERMINAL, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ];
  test.each(cases)('%s', (_, output, env, isColored) => {
    expect(paintFor(output, env)('failure', 'broken')).toBe(isColored ? RED : 'broken');
  });

  test('a text without a tone stays plain', () => {
    expect(paintFor(TERMINAL, {})(null, 'fine')).toBe('fine');
  });

  test('control characters of a painted text are escaped', () => {
    expect(paintFor(TERMINAL, {})('failure', '\u001B[2J')).toBe(String.raw`${'\u001B'}[31m\u{1b}[2J${'\u001B'}[39m`);
  });
});

describe('an escaped stream', () => {
  const writeTo = (isTTY: boolean, text: string): string => {
    let written = '';
    escapedOutput({ isTTY, write: (part) => void (written += part) }, {}).write(text);
    return written;
  };

  test('passes the codes of colors on to a terminal', () => {
    expect(writeTo(true, `${RED}\n`)).toBe(`${RED}\n`);
  });

  test('escapes all other control characters', () => {
    expect(writeTo(true, '\u001B[2J\u001B[8m\u0007')).toBe(String.raw`\u{1b}[2J\u{1b}[8m\u{7}`);
  });

  test('escapes the codes of colors where none are shown', () => {
    expect(writeTo(false, RED)).toBe(String.raw`\u{1b}[31m${'broken'}\u{1b}[39m`);
  });
});
