import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { playSchemathesis } from '../schemathesis/play-schemathesis.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';

/*
 * Schemathesis creates valid and invalid requests from docs/openapi.json, alone and following from responses, and
 * checks the responses: no 5xx, only described responses, nothing invalid accepted. SCHEMATHESIS_SEED selects other
 * requests, SCHEMATHESIS_SEEDS is the number of seeds, and SCHEMATHESIS_EXAMPLES the number of requests per operation,
 * then without a time limit.
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
  // The examples of the description refer to it; some runs wait, so that there is something to decide.
  await user.post('/api/graphs', aDefinition({ name: 'order-summary', nodes: { lookup: ask } }));
  for (let n = 0; n < 3; n += 1) await user.post('/api/runs', { graph: 'order-summary', input: {} });
}, 300_000);

describe.each(SEEDS)('with seed %i', (seed) => {
  test.each(['user', 'approver', 'admin'])(
    'the API responds to Schemathesis requests of the caller %s as the OpenAPI document describes',
    async (role) => {
      const { isPassed, output } = await playSchemathesis({ baseUrl, token: tokens[role] ?? '', seed, ...AMOUNT });
      // Its output explains how to reproduce a failure.
      expect(isPassed ? '' : output).toBe('');
    },
    3_600_000,
  );
});
