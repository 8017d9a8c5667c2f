import { describe, expect, test } from 'vitest';
import { createRandom } from '../support/builders/random.ts';
import { EACH_TURNS } from '../tau2/cases.ts';
import { readTau2 } from '../tau2/data.ts';
import { playTau2 } from '../tau2/play-tau2.ts';
import type { Finding, Row, ShopKind } from '../tau2/play-tau2.ts';
import { VARIANTS } from '../tau2/variants.ts';

/*
 * The short form of `npm run tau2`, which plays all tasks. The data of τ²-bench is not part of this repository: TAU2_DATA
 * names its folder.
 */

const FOLDER = process.env['TAU2_DATA'] ?? '';
const SEED = Number(process.env['TAU2_SEED'] ?? 1);
const TASKS = 4;

if (FOLDER === '')
  process.stderr.write('Tasks of τ²-bench are not played: no data is given, TAU2_DATA names its folder\n');

interface Played {
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
}

async function play(shop: ShopKind, variants: readonly string[]): Promise<Played> {
  const data = await readTau2(FOLDER);
  const findings: Finding[] = [];
  const rows = await playTau2({
    data,
    tasks: createRandom(SEED).shuffle(data.tasks).slice(0, TASKS),
    shops: [shop],
    turns: EACH_TURNS,
    variants,
    seed: SEED,
    atOnce: TASKS,
    onRow: () => undefined,
    onFinding: (finding) => void findings.push(finding),
  });
  return { rows, findings };
}

describe.skipIf(FOLDER === '')(
  'the tasks of τ²-bench (skipped if no data is given: TAU2_DATA names its folder)',
  () => {
    test.each(['ignores keys', 'honours keys'] as const)(
      'in every variant of τ²-bench, a shop that %s has the expected records, and each write is made once',
      async (shop) => {
        const { rows, findings } = await play(shop, Object.keys(VARIANTS));
        expect(findings).toEqual([]);
        expect(rows.filter(({ variant }) => variant.endsWith('killed')).every(({ kills }) => kills > 0)).toBe(true);
      },
      1_800_000,
    );

    test('the τ²-bench check detects writes that are made twice when a shop wrongly claims to honor idempotency keys', async () => {
      const { findings } = await play('is said to honour keys', ['answers dropped']);
      expect(findings.map(({ text }) => text).join('\n')).toContain('each write takes effect once, in order');
    }, 600_000);
  },
);
