import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTenantSlots } from '../../../../src/api/http/tenant-slots.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

describe('slots of waiting requests', () => {
  test('slots of waiting requests are limited for each tenant and in total, and released', () => {
    const slots = createTenantSlots({ perTenant: 2, total: 3 });
    const first = slots.take('a');
    expect([slots.take('a'), slots.take('b')]).not.toContain(null);
    expect([slots.take('a'), slots.take('b')]).toEqual([null, null]);
    first?.();
    expect([slots.take('b') === null, slots.take('a')]).toEqual([false, null]);
  });
});

describe('a request with Prefer: wait', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ waits: { perTenant: 1, total: 2 } });
  });
  afterAll(async () => {
    await api.stop();
  });

  test('a request with Prefer: wait is refused before any work while too many of its tenant wait, and succeeds later', async () => {
    const wait = { prefer: 'wait=1' };
    const user = api.as('user');
    const both = [1, 2].map(async () => await user.post('/api/runs', { graph: aDefinition() }, wait));
    const [taken, refused] = (await Promise.all(both)).toSorted((one, other) => one.status - other.status);
    expect(refused).toMatchObject(aProblem(429, 'TOO_MANY_REQUESTS', { 'retry-after': /^\d+$/ }));
    expect(taken?.status).toBe(201);
    const body = taken?.body ?? null;
    expect((await user.get('/api/runs')).body).toMatchObject({
      items: [{ id: textAt(body, '/id') }],
      nextCursor: null,
    });
    expect(await user.get(`/api/runs/${textAt(body, '/id')}`, wait)).toMatchObject({ status: 200 });
  });
});
