import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { playSchemathesis } from '../schemathesis/play-schemathesis.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';

/*
 * Schemathesis makes requests of docs/openapi.json, right and wrong ones, alone and as they follow from answers, and checks
 * what comes: no 5xx, only what is described, nothing wrong accepted. SCHEMATHESIS_SEED chooses other requests,
 * SCHEMATHESIS_SEEDS is how many seeds, and SCHEMATHESIS_EXAMPLES how many requests each operation has, without a limit of
 * time then.
 */

const { SCHEMATHESIS_SEED = '1', SCHEMATHESIS_SEEDS = '1', SCHEMATHESIS_EXAMPLES } = process.env;
const SEEDS = Array.from({ length: Number(SCHEMATHESIS_SEEDS) }, (_, n) => Number(SCHEMATHESIS_SEED) + n);
const AMOUNT =
  SCHEMATHESIS_EXAMPLES === undefined
    ? { examples: 1, seconds: 45 }
    : { examples: Number(SCHEMATHESIS_EXAMPLES), seconds: null };

const { start, as, tokensFile } = useNpmStart();
let baseUrl: string;
let tokens: Readonly<Record<string, string>>;
beforeAll(async () => {
  const started = await start();
  ({ baseUrl } = started.ready);
  tokens = JSON.parse(await readFile(tokensFile(), 'utf8'));
  const user = await as('user', started);
  const ask = { type: 'approval', title: 'May I?' } as const;
  // The examples of the description name it; some runs wait, so that there is something to decide.
  await user.post('/api/graphs', aDefinition({ name: 'order-summary', nodes: { lookup: ask } }));
  for (let n = 0; n < 3; n += 1) await user.post('/api/runs', { graph: 'order-summary', input: {} });
}, 300_000);

describe.each(SEEDS)('with seed %i', (seed) => {
  test.each(['user', 'approver', 'admin'])(
    'the API answers as it is described: %s',
    async (role) => {
      const { isPassed, said } = await playSchemathesis({ baseUrl, token: tokens[role] ?? '', seed, ...AMOUNT });
      // What it has said tells how to play a failure again.
      expect(isPassed ? '' : said).toBe('');
    },
    3_600_000,
  );
});
