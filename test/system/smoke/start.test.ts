import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ApiAnswer, ApiClient } from '../../support/readers/api-client.ts';
import { end, isAlive, useNpmStart } from '../../support/servers/npm-start.ts';

const { start, as, dataFile, tokensFile } = useNpmStart();

describe('npm start', () => {
  test(
    'npm start continues after it was killed and restarted, and leaves no process behind when it stops',
    { timeout: 180_000 },
    async () => {
      const first = await start();
      const ticket = {
        id: 'T-04',
        from: 'it@smallfirm.example',
        subject: 'Refund request A-1004',
        body: 'The laptop of order A-1004 is back with you. Please refund $1,899.00.',
      };
      const begun = await (await as('user', first)).post('/api/runs', { graph: 'refund-triage', input: { ticket } });
      expect(begun.status).toBe(201);
      const { id } = JSON.parse(JSON.stringify(begun.body));
      await (await as('user', first)).untilRun(id, isStatus('waiting'));
      await end(first.process, 'SIGKILL');

      const second = await start();
      const approved = await approve(await as('approver', second), id);
      expect(approved.status).toBe(200);
      const run = await (await as('user', second)).untilRun(id, isStatus('completed'), 60_000);
      expect(run).toMatchObject({ output: { outcome: 'refunded', amountRefunded: 1899 } });

      const pid = Number(await readFile(dataFile('temporal.db.pid'), 'utf8'));
      await end(second.process, 'SIGTERM');
      expect(second.process.exitCode).toBe(0);
      expect([isAlive(pid), existsSync(dataFile('lock'))]).toEqual([false, false]);
    },
  );

  test('npm start makes token files that only their owner can read', async () => {
    expect((await stat(tokensFile())).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(await readFile(tokensFile(), 'utf8')))).toEqual([
      'baseUrl',
      'temporalAddress',
      'uiUrl',
      'user',
      'approver',
      'approver2',
      'admin',
      'otherTenantUser',
    ]);
  });
});

/**
 * A request that the first process had not finished is released only after its lease: until then the API asks for a
 * retry.
 */
async function approve(approver: ApiClient, id: string): Promise<ApiAnswer> {
  const once = { 'idempotency-key': `approve-${id}` };
  for (const deadline = Date.now() + 60_000; ;) {
    const answer = await approver.post(`/api/runs/${id}/approve`, { reason: 'It is back' }, once);
    if (!answer.headers.has('retry-after') || Date.now() > deadline) return answer;
  }
}

const isStatus =
  (status: string) =>
  (run: unknown): boolean =>
    typeof run === 'object' && run !== null && 'status' in run && run.status === status;
