import { expect, test } from 'vitest';
import { createRandom } from '../support/builders/random.ts';
import { firstRound } from './faults.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
const VICTIMS = ['worker 1', 'worker 2', 'code 1', 'code 2', 'api 1', 'api 2', 'temporal', 'postgres'];
const round = (seed: number, victims = VICTIMS) => firstRound(victims, createRandom(seed));
const distinct = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

test.each(SEEDS)(
  'the first round of a chaos test injects each fault into each process kind, for any seed (%i)',
  (seed) => {
    const all = round(seed).map(({ kind, faultKind }) => `${kind} ${faultKind}`);
    expect(all).toHaveLength(15);
    // The workflow process is killed instead of being restarted.
    expect(distinct(all)).toHaveLength(14);
    expect(all).not.toContain('code restarted');
  },
);

test.each(SEEDS)('the first five faults of a chaos test include each process kind and each fault (seed %i)', (seed) => {
  const first = round(seed).slice(0, 5);
  expect(distinct(first.map(({ kind }) => kind))).toEqual(['api', 'code', 'postgres', 'temporal', 'worker']);
  expect(distinct(first.map(({ faultKind }) => faultKind))).toEqual(['killed', 'restarted', 'stopped']);
});

test('the order of injected faults is determined by the seed, and seeds differ', () => {
  expect(round(1)).toEqual(round(1));
  expect(distinct(SEEDS.map((seed) => JSON.stringify(round(seed)))).length).toBeGreaterThan(1);
});

test('the chaos test injects no fault into a process that is not running', () => {
  const all = round(1, ['worker 1']);
  expect(distinct(all.map(({ kind, faultKind }) => `${kind} ${faultKind}`))).toEqual([
    'worker killed',
    'worker restarted',
    'worker stopped',
  ]);
});
