import { expect, test } from 'vitest';
import { playChaos } from '../../chaos/play-chaos.ts';

/* A short chaos test; `test/system/chaos.test.ts` continues until every process was harmed in every way. */

const SEED = Number(process.env['CHAOS_SEED'] ?? 1);

test(`no run is lost and no call made twice when processes are killed, with seed ${SEED}`, async () => {
  const options = { runs: 4, seed: SEED, atOnce: 4, hasClaims: true, share: null, askers: 0 };
  const report = await playChaos({ ...options, onFault: () => undefined, onStory: () => undefined });
  expect(report.verdicts.filter(({ findings }) => findings.length > 0)).toEqual([]);
  expect(report.injected.map(({ faultKind }) => faultKind)).toContain('killed');
}, 300_000);
