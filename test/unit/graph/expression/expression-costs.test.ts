import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidExpressionError, parseExpression } from '../../../../src/graph/expression/expression.ts';
import { NODE_NAMES } from '../../../../src/graph/expression/names.ts';
import type { Expression } from '../../../../src/graph/expression/expression.ts';
import { parseTemplate } from '../../../../src/graph/expression/template.ts';
import { GraphError } from '../../../../src/graph/values/errors.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { unitsSpent, withAllowance } from '../../../../src/graph/values/meter.ts';

/** An evaluation of at most 1,000,000 units, and the copy of at most 8 MB. */
const MAX_UNITS = 6_000_000;

const numbers = Array.from({ length: 300 }, (_, at) => at);
const text = 'a'.repeat(900_000);

interface Tried {
  readonly code: string | null;
  readonly message: string;
  readonly units: number;
}

function attempt(expression: Expression, state: Json): Tried {
  const before = unitsSpent();
  try {
    expression.evaluate({ state, run: {}, item: null, index: null });
    return { code: null, message: '', units: unitsSpent() - before };
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    return { code: error.code, message: error.message, units: unitsSpent() - before };
  }
}

const evaluate = (source: string, state: Json): Tried => attempt(parseExpression(source, NODE_NAMES), state);

describe('an expression ends at a bounded cost', () => {
  test.each<[string, string]>([
    ['catches errors in loops', 'state.l.exists(a, state.l.exists(b, state.l.exists(c, state.nope)))'],
    ['continues after its limit', 'state.l.exists(a, state.l.exists(b, state.l.exists(c, a < 0))) || true'],
    ['compares values that loops have made', 'state.l.map(x, state.l.map(y, state.l) == state.l.map(z, state.l))'],
    ['lists the keys of a large object', 'state.l.map(x, state.l.map(y, state.o.exists(k, true)))'],
    ['makes many maps', `state.l.map(x, state.l.map(y, {${numbers.map((n) => `"k${n}": 1`).join(', ')}}))`],
    ['splits a text into characters', 'state.l.map(x, state.s.split(""))'],
    ['joins with a long separator', 'state.l.map(x, state.l.join(state.s))'],
    ['replaces by a long text', 'state.s.replace("a", state.s)'],
    [
      'doubles a text',
      'cel.bind(a, state.s + state.s, cel.bind(b, a + a, cel.bind(c, b + b, cel.bind(d, c + c, d + d))))',
    ],
    [
      'searches repetitive text',
      'state.l.map(x, state.s.contains("a".replace("a", state.s.substring(0, 400000)) + "b" + state.s))',
    ],
    ['matches an expensive pattern', 'state.s.matches("(?i)a[^z]{200}q")'],
    ['compiles patterns', 'state.l.map(x, "".matches("a{1000}" + string(int(x))))'],
    ['escapes repeatedly', 'json(json(json(json(json(json(json(json(json(json(state.q))))))))))'],
  ])('an expression ends at a bounded cost if it %s', (_what, source) => {
    const o = Object.fromEntries(numbers.map((n) => [`k${n}`, n]));
    const { units } = evaluate(source, { l: numbers, s: text, o, q: '"\\'.repeat(2_000) });
    expect(units).toBeLessThan(MAX_UNITS);
  });

  test('a random expression ends at a bounded cost', () => {
    const { expression: hostile } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom('state.l', 'state.s', 'state.o', '1', '"a"', '[1, 2]', 'x', 'state.nope'),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}.map(x, ${b})`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}.exists(x, ${b} == x)`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}.filter(x, ${b} != x)`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} + ${b})`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `[${a}, ${b}, ${a}]`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `cel.bind(x, ${a}, ${b})`),
        tie('expression').map((a) => `json(${a})`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}.join(string(${b}))`),
      ),
    }));
    const state = { l: numbers, s: 'ab'.repeat(10_000), o: { a: numbers, b: { c: numbers } } };
    let tried = 0;
    fc.assert(
      fc.property(hostile, (source) => {
        tried += 1;
        try {
          const expression = parseExpression(`cel.bind(x, 1, ${source})`, NODE_NAMES);
          expect(attempt(expression, state).units).toBeLessThan(MAX_UNITS);
        } catch (error) {
          if (!(error instanceof InvalidExpressionError)) throw error;
        }
      }),
      { numRuns: 150, interruptAfterTimeLimit: 60_000 },
    );
    // A busy machine may not finish all of them.
    expect(tried).toBeGreaterThanOrEqual(30);
  }, 300_000);
});

describe('the limit of bytes that an expression makes', () => {
  test('the bytes of a single value are limited while an expression makes it', () => {
    const source = `[${Array.from({ length: 950 }, () => 'state.z').join(', ')}]`;
    const { code, units } = evaluate(source, { z: Array.from({ length: 100_000 }, () => 0) });
    expect(code).toBe('PAYLOAD_TOO_LARGE');
    expect(units).toBeLessThan(MAX_UNITS);
  });

  test('the bytes of all texts of a field together are limited while expressions make them', () => {
    const field = parseTemplate(['{{ state.s }}', '{{ state.s }}{{ state.s }}'], NODE_NAMES, 'write.o');
    const s = 'x'.repeat(3_000_000);
    expect(() => field.fill({ state: { s } })).toThrow(/write\.o\.1: .*The field write\.o takes over 8000000 bytes/);
    expect(field.fill({ state: { s: 'y' } })).toEqual(['y', 'yy']);
  });

  test('the type bytes is refused as the value of an expression', () => {
    expect(evaluate('bytes("a")', {})).toMatchObject({
      code: 'EXPRESSION_FAILED',
      message: expect.stringContaining('bytes'),
    });
  });
});

test('an evaluation fails even if the CEL library catches the error of its cost limit', () => {
  const { code, message } = evaluate('state.l.exists(a, state.l.exists(b, state.l.exists(c, a < 0))) || true', {
    l: numbers,
  });
  expect(code).toBe('EXPRESSION_FAILED');
  expect(message).toMatch(/it is too expensive: it takes more than 1000000 units/);
});

test('the error of an expression quotes only the beginning of a long expression', () => {
  const { message } = evaluate(`state.nope + "${'x'.repeat(5_000)}"`, {});
  expect(message.length).toBeLessThan(800);
  expect(message).toContain('xxx…` failed: No such key: nope');
});

test('an expression has at most 10,000 characters', () => {
  expect(() => parseExpression(`"${'x'.repeat(10_000)}"`, [])).toThrow(/at most 10000 characters/);
  expect(() => parseTemplate(`{{ "${'x'.repeat(10_000)}" }}`, [], 'f')).toThrow(/at most 10000 characters/);
});

test('comparing deeply nested values works and keeps no type of them in memory', () => {
  const nested = (shape: string): Json =>
    Array.from(shape).reduce<Json>((inner, kind) => (kind === '1' ? [inner] : { k: inner }), 1);
  const state = { a: nested('1011010'), b: nested('1011010') };
  expect(parseExpression('state.a == state.b', NODE_NAMES).evaluate({ state })).toBe(true);
});

test('the expression inside a loop shares the cost allowance of the whole expression', () => {
  const expression = parseExpression('state.l.exists(x, state.l.exists(y, x + y > 100000))', NODE_NAMES);
  const all = (): void => {
    for (let n = 0; n < 100; n += 1) expression.evaluate({ state: { l: numbers } });
  };
  expect(() => withAllowance('The node', 2_000_000, all)).toThrow(/The node is too expensive/);
});
