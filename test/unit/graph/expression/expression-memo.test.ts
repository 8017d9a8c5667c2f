import { describe, expect, test, vi } from 'vitest';
import { allNodes } from '../../../../src/graph/expression/syntax-node.ts';
import type { SyntaxNode } from '../../../../src/graph/expression/syntax-node.ts';

// Other test files of this process may have parsed expressions. The memos of this file begin empty.
vi.resetModules();
const { parseExpression } = await import('../../../../src/graph/expression/expression.ts');
const { compilePattern } = await import('../../../../src/graph/values/regular-expression.ts');

describe('the memo', () => {
  test('the memo of parsed expressions holds up to 10,000 expressions', () => {
    const first = parseExpression('1', []);
    expect(parseExpression('1', [])).toBe(first);
    for (let n = 2; n <= 10_000; n += 1) parseExpression(`${n}`, []);
    expect(parseExpression('1', [])).toBe(first);
    parseExpression('10001', []);
    expect(parseExpression('1', [])).not.toBe(first);
  });

  test('the memo of regular expressions holds up to 1,000 patterns', () => {
    const first = compilePattern('a1');
    for (let n = 2; n <= 1_000; n += 1) compilePattern(`a${n}`);
    expect(compilePattern('a1')).toBe(first);
    compilePattern('a1001');
    expect(compilePattern('a1')).not.toBe(first);
  });

  test('the memo of parsed expressions holds up to half a megabyte of expressions', () => {
    const long = (n: number): string => `"${n}${'x'.repeat(9_000)}"`;
    const first = parseExpression('"first"', []);
    for (let n = 0; n < 50; n += 1) parseExpression(long(n), []);
    expect(parseExpression('"first"', [])).toBe(first);
    for (let n = 50; n < 60; n += 1) parseExpression(long(n), []);
    expect(parseExpression('"first"', [])).not.toBe(first);
  });

  test('the memo of regular expressions holds up to 20 kilobytes of patterns', () => {
    const long = (n: number): string => `${n}${'x'.repeat(900)}`;
    const first = compilePattern('first');
    for (let n = 0; n < 30; n += 1) compilePattern(long(n));
    expect(compilePattern('first')).not.toBe(first);
  });
});

test('a node that occurs twice in a syntax tree is visited once', () => {
  const node = (op: string, args: unknown): SyntaxNode => ({
    op,
    args,
    start: 0,
    end: 1,
    meta: { check: () => null, evaluate: () => null },
    setMeta: () => null,
  });
  const leaf = node('value', 1);
  const root = node('+', [leaf, leaf]);
  expect([...allNodes(root)]).toEqual([root, leaf]);
});
