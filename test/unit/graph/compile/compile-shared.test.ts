import { describe, expect, test, vi } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { copyOf } from '../../../support/builders/stored.ts';

// Other test files of this process may have compiled graphs. The memo of this file begins empty.
vi.resetModules();
const { compileShared } = await import('../../../../src/graph/compile/compile.ts');

const noting = (note: string): GraphDefinition =>
  aDefinition({ nodes: { note: { type: 'set', write: { log: note } } } });

describe('a compiled graph', () => {
  test('a compiled graph is shared by all graphs with the same definition and catalog', () => {
    const first = compileShared(noting('a'), aCatalog());
    expect(compileShared(copyOf(noting('a')), copyOf(aCatalog()))).toBe(first);
  });

  test('a compiled graph is not shared with another definition or catalog', () => {
    const first = compileShared(noting('a'), aCatalog());
    expect(compileShared(noting('b'), aCatalog())).not.toBe(first);
    expect(compileShared(noting('a'), aCatalog({ tools: {} }))).not.toBe(first);
  });

  test('100 compiled graphs are memoized, except for very large ones', () => {
    const first = compileShared(noting('0'), aCatalog());
    for (let n = 1; n <= 90; n += 1) compileShared(noting(`${n}`), aCatalog());
    expect(compileShared(noting('0'), aCatalog())).toBe(first);
    for (let n = 91; n <= 100; n += 1) compileShared(noting(`${n}`), aCatalog());
    expect(compileShared(noting('0'), aCatalog())).not.toBe(first);
    const large = noting('x'.repeat(100_000));
    expect(compileShared(large, aCatalog())).not.toBe(compileShared(large, aCatalog()));
  });
});
