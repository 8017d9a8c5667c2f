import { expect, test } from 'vitest';
import { aCatalog } from '../support/builders/builders.ts';
import { COSTLY_TEXT, elements } from '../support/builders/hostile-shapes.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import { boundedSuperstepsSuite } from '../support/suites/bounded-supersteps-suite.ts';

boundedSuperstepsSuite('first');

test('a superstep beyond its computing limit fails the run without an intervention for each of its tasks', () => {
  const definition = elements({ type: 'set', write: { out: COSTLY_TEXT }, onError: 'intervene' });
  const { run, events } = runInMemory({ definition, catalog: aCatalog(), input: {} }, {});
  expect(run).toMatchObject({ status: 'failed', error: { code: 'EXPRESSION_FAILED' } });
  expect(events.filter(({ type }) => type === 'node.failed')).toHaveLength(1);
});
