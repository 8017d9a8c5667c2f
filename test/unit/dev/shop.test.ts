import type { Dialect } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SEED_ORDERS } from '../../../src/dev/shop/tables.ts';
import { startShop } from '../../../src/dev/shop/server.ts';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { openMemoryDatabase } from '../../support/servers/memory-database.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';

const API_KEY = 'shop-key';
const LAMP = { order: 'A-1001', amount: 10, reason: 'Ticket T-01' };

/** A database on which a shop can be restarted. */
interface Database {
  dialect(): Dialect;
  close(): Promise<void>;
}

let shop: Awaited<ReturnType<typeof startShop>>;

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, ...Object.fromEntries(new Headers(init.headers)) };
  return await fetch(shop.url + path, { ...init, headers });
}

async function refund(key: string, body: unknown): Promise<Response> {
  return await request('/refunds', { method: 'POST', headers: { 'idempotency-key': key }, body: JSON.stringify(body) });
}

async function order(fault: unknown): Promise<Response> {
  return await request('/faults', { method: 'POST', body: JSON.stringify(fault) });
}

const BooksSchema = z.object({
  refunds: z.array(z.looseObject({ id: z.string(), key: z.string(), amount: z.number() })),
});

async function refundsOf(number: string): Promise<z.output<typeof BooksSchema>['refunds']> {
  return BooksSchema.parse(await (await request(`/refunds?order=${number}`)).json()).refunds;
}

async function refundedOf(number: string): Promise<unknown> {
  const answer: unknown = await (await request(`/orders?number=${number}`)).json();
  return z.object({ orders: z.array(z.object({ refunded: z.number() })) }).parse(answer).orders[0]?.refunded;
}

/** Tests of the shop, whatever its database. */
function shopSuite(openDatabase: () => Promise<Database>): void {
  let database: Database;
  const start = async (port = 0): Promise<typeof shop> =>
    await startShop({ dialect: database.dialect(), port, apiKey: API_KEY });

  beforeAll(async () => {
    database = await openDatabase();
    shop = await start();
  });
  afterEach(async () => void (await request('/faults', { method: 'DELETE' })));
  afterAll(async () => {
    await shop.stop();
    await database.close();
  });

  describe('orders', () => {
    test('the demo shop finds orders by their number, with the refunded amount', async () => {
      const answer = await request('/orders?number=A-1020');
      const found = {
        number: 'A-1020',
        customer: 'omar@mail.example',
        item: 'Two chairs',
        total: 90,
        currency: 'USD',
        refunded: 40,
      };
      expect([answer.status, await answer.json()]).toEqual([200, { orders: [found] }]);
    });

    test('the demo shop returns an empty list for an unknown order number, and refuses a request without one', async () => {
      expect(await (await request('/orders?number=A-9999')).json()).toEqual({ orders: [] });
      expect((await request('/orders')).status).toBe(422);
      expect((await request('/orders?number=%00')).status).toBe(422);
    });

    test('the demo shop’s orders have unique numbers', () => {
      expect(new Set(SEED_ORDERS.map(({ number }) => number)).size).toBe(SEED_ORDERS.length);
    });
  });

  describe('authorization', () => {
    test.each([['/orders?number=A-1001'], ['/refunds'], ['/faults'], ['/nowhere']])(
      'the demo shop requires its API key for %s',
      async (path) => {
        const statuses = [{}, { authorization: 'Bearer wrong' }, { authorization: API_KEY }].map(
          async (headers: Record<string, string>) => (await fetch(shop.url + path, { headers })).status,
        );
        expect(await Promise.all(statuses)).toEqual([401, 401, 401]);
      },
    );
  });

  describe('refunds', () => {
    test('the demo shop makes a refund once for each idempotency key, and returns it to a repeated request', async () => {
      const first = await refund('once', LAMP);
      const again = await refund('once', LAMP);
      const made: unknown = await first.json();
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(made).toMatchObject({ order: 'A-1001', amount: 10, id: expect.any(String), at: expect.any(String) });
      expect(await again.json()).toEqual(made);
      expect(await refundedOf('A-1001')).toBe(10);
    });

    test('the demo shop makes one refund for fifty equal concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => refund('fifty', { ...LAMP, order: 'A-1002' })),
      );
      const statuses = answers.map(({ status }) => status);
      expect([
        statuses.filter((status) => status === 201).length,
        statuses.filter((status) => status === 200).length,
      ]).toEqual([1, 49]);
      expect(await refundsOf('A-1002')).toHaveLength(1);
    });

    test('the demo shop’s refunds never exceed the total of the order, also under different keys', async () => {
      const keys = Array.from({ length: 12 }, (_, at) => `part-${at}`);
      const answers = await Promise.all(keys.map((key) => refund(key, { ...LAMP, order: 'A-1007' })));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
      expect(await refundedOf('A-1007')).toBe(70);
    });

    test('the demo shop refunds the remaining amount of an order to the cent', async () => {
      expect((await refund('cents-1', { ...LAMP, order: 'A-1009', amount: 89.98 })).status).toBe(201);
      expect((await refund('cents-2', { ...LAMP, order: 'A-1009', amount: 0.01 })).status).toBe(201);
      expect((await refund('cents-3', { ...LAMP, order: 'A-1009', amount: 0.01 })).status).toBe(409);
      expect(await refundedOf('A-1009')).toBe(89.99);
    });

    test.each([
      { of: 'another refund’s key', key: 'once', body: { ...LAMP, amount: 11 }, status: 422 },
      {
        of: 'another refund’s key, for an unknown order',
        key: 'once',
        body: { ...LAMP, order: 'A-9999' },
        status: 422,
      },
      { of: 'an unknown order', key: 'new', body: { ...LAMP, order: 'A-9999' }, status: 404 },
      { of: 'more than the order was worth', key: 'new', body: { ...LAMP, amount: 1_000 }, status: 409 },
      { of: 'a zero amount', key: 'new', body: { ...LAMP, amount: 0 }, status: 422 },
      { of: 'a fraction of a cent', key: 'new', body: { ...LAMP, amount: 1.005 }, status: 422 },
      { of: 'an amount as text', key: 'new', body: { ...LAMP, amount: '10' }, status: 422 },
      { of: 'an amount without a reason', key: 'new', body: { order: 'A-1001', amount: 10 }, status: 422 },
      { of: 'an unknown member', key: 'new', body: { ...LAMP, currency: 'EUR' }, status: 422 },
      { of: 'a zero byte', key: 'new', body: { ...LAMP, reason: '\0' }, status: 422 },
    ])('the demo shop refuses a refund of $of', async ({ key, body, status }) => {
      const before = await refundsOf('A-1001');
      expect((await refund(key, body)).status).toBe(status);
      expect(await refundsOf('A-1001')).toEqual(before);
    });

    test('the demo shop refuses a refund whose body is no JSON or whose key is missing', async () => {
      const headers = { 'idempotency-key': 'new' };
      expect((await request('/refunds', { method: 'POST', headers, body: '{' })).status).toBe(422);
      expect((await request('/refunds', { method: 'POST', body: JSON.stringify(LAMP) })).status).toBe(400);
    });

    test('the demo shop lists refunds with their keys', async () => {
      const all = BooksSchema.parse(await (await request('/refunds')).json()).refunds;
      expect(all).toEqual(expect.arrayContaining([expect.objectContaining({ key: 'once', reason: 'Ticket T-01' })]));
      expect(await refundsOf('A-1001')).toEqual(all.filter((made) => made['order'] === 'A-1001'));
    });
  });

  describe('injected faults', () => {
    test('an injected fault of the demo shop with a status fails as many calls as requested, before any work is done', async () => {
      await order({ path: '/refunds', status: 503, retryAfter: 1, times: 2 });
      const failures = [await refund('fault', LAMP), await refund('fault', LAMP)];
      expect(failures.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
        [503, '1'],
        [503, '1'],
      ]);
      expect(await refundsOf('A-1001')).not.toContainEqual(expect.objectContaining({ key: 'fault' }));
      expect((await refund('fault', LAMP)).status).toBe(201);
    });

    test.each([
      ['a failing status', { status: 500 }],
      ['a broken connection', { drop: true }],
    ])('an injected fault of the demo shop after the work hides a refund that was made: %s', async (what, fault) => {
      await order({ path: '/refunds', ...fault, afterWork: true, times: 1 });
      const lost = await refund(what, { ...LAMP, amount: 1 }).then(
        ({ status }) => status,
        () => 'broken',
      );
      expect(lost).not.toBe(201);
      expect((await refund(what, { ...LAMP, amount: 1 })).status).toBe(200);
      expect((await refundsOf('A-1001')).filter(({ key }) => key === what)).toHaveLength(1);
    });

    test('an injected fault of the demo shop that drops a call breaks its connection before any work is done', async () => {
      await order({ path: '/refunds', drop: true, times: 1 });
      await expect(refund('dropped', LAMP)).rejects.toThrow('fetch failed');
      expect(await refundsOf('A-1001')).not.toContainEqual(expect.objectContaining({ key: 'dropped' }));
    });

    test('an injected fault of the demo shop that only delays makes a call slow', async () => {
      await order({ path: '/orders', delayMs: 80, times: 1 });
      const before = performance.now();
      expect((await request('/orders?number=A-1001')).status).toBe(200);
      expect(performance.now() - before).toBeGreaterThanOrEqual(75);
    });

    test('injected faults of the demo shop affect only their path, never the list of refunds, and are removed by DELETE', async () => {
      await order({ path: '/refunds', status: 503, times: 5 });
      expect((await request('/orders?number=A-1001')).status).toBe(200);
      expect((await request('/refunds')).status).toBe(200);
      expect((await request('/faults', { method: 'DELETE' })).status).toBe(204);
      expect((await refund('once', LAMP)).status).toBe(200);
    });

    test.each([
      [{ path: '/refunds', times: 1 }],
      [{ path: '/nowhere', status: 500, times: 1 }],
      [{ path: '/orders', status: 200, times: 1 }],
      [{ path: '/orders', status: 500 }],
      [{ path: '/orders', status: 500, times: 1, often: 2 }],
      ['no object'],
    ])('the demo shop refuses the invalid fault %j', async (fault) => {
      expect((await order(fault)).status).toBe(422);
    });
  });

  describe('a restarted shop', () => {
    test('a restarted demo shop keeps orders, refunds and keys', async () => {
      const before = await refundsOf('A-1001');
      await shop.stop();
      shop = await start();
      expect(before.length).toBeGreaterThan(0);
      expect(await refundsOf('A-1001')).toEqual(before);
      expect((await refund('once', LAMP)).status).toBe(200);
    });

    test('the demo shop fails to start on a port that is in use', async () => {
      const port = Number(new URL(shop.url).port);
      await expect(start(port)).rejects.toThrow('EADDRINUSE');
    });
  });
}

describe('the shop on embedded PostgreSQL', () => {
  shopSuite(async () => {
    const database = await openMemoryDatabase();
    return { dialect: () => createPgliteDialect(database), close: () => database.close() };
  });
});

/** A database given to the tests may have a shop in use, so these tests start their own server. */
describe.skipIf(process.env['DATABASE_URL'] !== undefined)('the shop on PostgreSQL', () => {
  shopSuite(async () => {
    const server = await startPostgres();
    return {
      dialect: () => createPostgresDialect(server.url, { maxConnections: 10 }),
      close: () => server.stop(),
    };
  });
});
