import { expect, test } from 'vitest';
import { playHostile } from '../hostile/play-hostile.ts';

/* The first requests of `npm run hostile`. */

const SEED = Number(process.env['HOSTILE_SEED'] ?? 1);

test(`random requests of untrusted clients harm neither the engine nor other tenants, with seed ${SEED}`, async () => {
  const report = await playHostile({ attacks: 60, seed: SEED, onAttack: () => undefined });
  expect(report.findings).toEqual([]);
  const statuses = report.outcomes.flatMap((outcome) => outcome.statuses);
  expect(statuses).toEqual(expect.arrayContaining([200, 201, 422]));
}, 300_000);
