import { describe, expect, test } from 'vitest';
import { desk } from '../../../examples/builder/edges.ts';
import { definition } from '../../../examples/builder/first-graph.ts';
import { mistakes } from '../../../examples/builder/mistakes.ts';
import { codeIn, readFile } from '../../support/readers/documentation.ts';

const blocks = codeIn('docs/builder.md', 'ts');

describe('the examples of docs/builder.md', () => {
  test.each(['first-graph', 'edges', 'mistakes'].map((name, index) => [name, index] as const))(
    'docs/builder.md contains the code of the example %s.ts',
    (name, index) => {
      expect(blocks).toHaveLength(3);
      expect(readFile(`examples/builder/${name}.ts`)).toContain(blocks[index]);
    },
  );

  test('the examples of docs/builder.md are valid graphs without warnings', () => {
    expect(definition.name).toBe('order-summary');
    expect(desk.issues()).toEqual([]);
  });

  test('docs/builder.md lists as many mistakes as the compiler finds', () => {
    expect(mistakes).toHaveLength(5);
  });
});
