import { expect, test } from 'vitest';
import { unitsSpent } from '../../src/graph/values/meter.ts';
import { aCatalog } from '../support/builders/builders.ts';
import { COSTLY_TEXT, LARGE, loop } from '../support/builders/hostile-shapes.ts';
import { runInMemory } from '../support/doubles/memory-shell.ts';
import { boundedSuperstepsSuite } from '../support/suites/bounded-supersteps-suite.ts';

/* These take up to a minute, so they are no scenarios. */

boundedSuperstepsSuite('others');

const ALONE = 100_000_000;
/** One advance may exceed the limit by this much. */
const BEYOND = 10_000_000;

test.each([
  ['costly values', COSTLY_TEXT],
  ['large values', LARGE],
])(
  'a run that only computes fails with GRAPH_RECURSION_LIMIT after ten thousand supersteps with %s',
  (_what, value) => {
    const before = unitsSpent();
    const definition = loop({ type: 'set', write: { one: value } });
    const { run } = runInMemory({ definition, catalog: aCatalog(), input: {} }, {});
    expect(run.error?.code).toBe('GRAPH_RECURSION_LIMIT');
    expect(unitsSpent() - before).toBeLessThan(ALONE + BEYOND);
  },
);
