import { describe, expect, test } from 'vitest';
import { readRun } from '../../../../src/graph/run/run.ts';
import type { StoredRun } from '../../../../src/graph/run/run.ts';
import { addsNames, startRun } from '../../../support/builders/runs.ts';

const { run } = startRun({ nodes: addsNames('a') });

/** Migrations that rename a field and then add one. */
const migrations = [
  ({ pay, ...rest }: StoredRun & { pay?: number }) => ({ ...rest, amount: pay }),
  (before: StoredRun) => ({ ...before, currency: 'USD' }),
];

describe('readRun', () => {
  test('a stored run of the current format is read unchanged', () => {
    expect(readRun(run)).toBe(run);
  });

  test.each([
    ['all migrations', { format: 1, id: 'r', pay: 7 }],
    ['the migrations after its format', { format: 2, id: 'r', amount: 7 }],
    ['no migration', { format: 3, id: 'r', amount: 7, currency: 'USD' }],
  ])('a stored run is migrated through %s when it is read', (_which, kept) => {
    expect(readRun(kept, migrations)).toEqual({ format: 3, id: 'r', amount: 7, currency: 'USD' });
  });

  test('reading a stored run does not change the stored value', () => {
    const kept = { format: 1, id: 'r', pay: 7 };
    readRun(kept, migrations);
    expect(kept).toEqual({ format: 1, id: 'r', pay: 7 });
  });

  test('a stored run of a later version is refused', () => {
    expect(() => readRun({ ...run, format: 2 })).toThrow('The run has format 2; this version knows those up to 1');
  });
});
