import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { Context, MiddlewareHandler } from 'hono';
import { Kysely } from 'kysely';
import type { Dialect } from 'kysely';
import { z } from 'zod';
import { createFaults, readJsonBody, toProblem } from '../faults.ts';
import type { ServiceEnvironment } from '../faults.ts';
import { listenOnPort } from '../../process/listen.ts';
import type { OpenPort, ListenOptions } from '../../process/listen.ts';
import { AmountSchema, findOrders } from './orders.ts';
import { issueRefund, listRefunds } from './refunds.ts';
import type { RefundAnswer } from './refunds.ts';
import { prepareTables } from './tables.ts';
import type { ShopTables } from './tables.ts';

/** The shop's database and address, and the key that requests must have. */
export interface ShopOptions extends ListenOptions {
  readonly dialect: Dialect;
  readonly apiKey: string;
}

/**
 * Starts the order and payment service. Its tables persist, so a restarted shop continues.
 * @throws if the port is in use or the database does not answer
 */
export async function startShop({ dialect, apiKey, ...listenOptions }: ShopOptions): Promise<OpenPort> {
  const db = new Kysely<ShopTables>({ dialect });
  try {
    await prepareTables(db);
    const listening = await listenOnPort(createShop(db.withSchema('shop'), apiKey), listenOptions);
    return {
      ...listening,
      async stop() {
        await listening.stop();
        await db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** PostgreSQL texts can't contain zero bytes. */
const TextSchema = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => !text.includes('\0'), 'must not hold zero bytes');
const RefundRequestSchema = z.strictObject({ order: TextSchema, amount: AmountSchema, reason: TextSchema });
const KeySchema = TextSchema.max(255);

function createShop(db: Kysely<ShopTables>, apiKey: string): Hono<ServiceEnvironment> {
  const app = new Hono<ServiceEnvironment>();
  const faults = createFaults(['/refunds', '/orders']);
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.use(requireApiKey(apiKey));
  app.route('/faults', faults.routes);
  app.get('/orders', faults.on('/orders'), async (context) => {
    const number = TextSchema.safeParse(context.req.query('number'));
    if (!number.success) return context.json(toProblem('INVALID_NUMBER', 'Name an order: ?number=A-1001'), 422);
    return context.json({ orders: await findOrders(db, number.data) });
  });
  app.post('/refunds', faults.on('/refunds'), async (context) => await respondToRefund(db, context));
  app.get('/refunds', async (context) => {
    const order = TextSchema.optional().safeParse(context.req.query('order'));
    if (!order.success) return context.json(toProblem('INVALID_NUMBER', 'Name an order: ?order=A-1001'), 422);
    return context.json({ refunds: await listRefunds(db, order.data) });
  });
  app.notFound((context) => context.json(toProblem('NOT_FOUND', `There is no ${context.req.path}`), 404));
  app.onError((error, context) => context.json(toProblem('INTERNAL', error.message), 500));
  return app;
}

function requireApiKey(apiKey: string): MiddlewareHandler {
  const expected = sha256Digest(`Bearer ${apiKey}`);
  return async (context, next) => {
    if (timingSafeEqual(sha256Digest(context.req.header('authorization') ?? ''), expected)) return await next();
    return context.json(toProblem('UNAUTHORIZED', 'Send the api key: Authorization: Bearer …'), 401);
  };
}

function sha256Digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function respondToRefund(db: Kysely<ShopTables>, context: Context): Promise<Response> {
  const key = KeySchema.safeParse(context.req.header('idempotency-key'));
  if (!key.success) return context.json(toProblem('KEY_REQUIRED', 'A refund needs an Idempotency-Key'), 400);
  const body = RefundRequestSchema.safeParse(await readJsonBody(context));
  if (!body.success) return context.json(toProblem('INVALID_REFUND', z.prettifyError(body.error)), 422);
  return toHttpResponse(context, await issueRefund(db, { key: key.data, ...body.data }));
}

function toHttpResponse(context: Context, given: RefundAnswer): Response {
  switch (given.kind) {
    case 'made':
      return context.json(given.refund, 201);
    case 'repeated':
      return context.json(given.refund, 200);
    case 'key-reused':
      return context.json(toProblem('KEY_REUSED', 'This Idempotency-Key belongs to another refund'), 422);
    case 'unknown-order':
      return context.json(toProblem('UNKNOWN_ORDER', 'There is no such order'), 404);
    case 'too-much':
      return context.json(toProblem('TOO_MUCH', `Only ${given.left} of this order is left to be refunded`), 409);
  }
}
