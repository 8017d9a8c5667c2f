import type { Kysely } from 'kysely';
import type { Json } from '../graph/values/index.ts';
import type { Tables } from './tables.ts';

export interface RequestKey {
  readonly tenantId: string;
  readonly subject: string;
  /** The method and the path. */
  readonly route: string;
  readonly key: string;
}

export interface NewRequest extends RequestKey {
  /** A hash of the body: the same key with another body is refused. */
  readonly fingerprint: string;
  /** The id of the new resource, chosen in advance, so that a repetition does not create a second one. */
  readonly resourceId: string;
  readonly at: string;
  readonly leaseUntil: string;
}

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export type RequestAdmission =
  /** The request may continue; the id may come from an earlier attempt that did not finish. */
  | { readonly kind: 'proceed'; readonly resourceId: string }
  | { readonly kind: 'replay'; readonly answer: KeptAnswer }
  | { readonly kind: 'reused' }
  | { readonly kind: 'in-progress' };

export interface Idempotency {
  /** Admits one attempt of a request at a time. After its lease, another attempt may begin. */
  admit(request: NewRequest): Promise<RequestAdmission>;
  keep(request: RequestKey, answer: KeptAnswer): Promise<void>;
  /** Extends the lease of a request. After the lease, another attempt with the same resource id may begin. */
  lease(request: RequestKey, until: string): Promise<void>;
  /** Deletes the record of a request that had no effect. */
  forget(request: RequestKey): Promise<void>;
  forgetBefore(time: string): Promise<void>;
}

/** @internal */
export function createIdempotency(db: Kysely<Tables>): Idempotency {
  const ofRequest = ({ tenantId, subject, route, key }: RequestKey) => ({ tenant_id: tenantId, subject, route, key });
  return {
    admit: (request) => admitRequest(db, request),
    async keep(request, { status, headers, body }) {
      const answer = { status, headers: JSON.stringify(headers), body: JSON.stringify(body) };
      await db
        .updateTable('idempotency')
        .set(answer)
        .where((eb) => eb.and(ofRequest(request)))
        .execute();
    },
    async lease(request, until) {
      await db
        .updateTable('idempotency')
        .set({ lease_until: until })
        .where((eb) => eb.and(ofRequest(request)))
        .execute();
    },
    async forget(request) {
      await db
        .deleteFrom('idempotency')
        .where((eb) => eb.and(ofRequest(request)))
        .where('status', 'is', null)
        .execute();
    },
    async forgetBefore(time) {
      await db.deleteFrom('idempotency').where('created_at', '<', new Date(time)).execute();
    },
  };
}

async function admitRequest(db: Kysely<Tables>, request: NewRequest): Promise<RequestAdmission> {
  const { tenantId, subject, route, key, fingerprint, resourceId, at, leaseUntil } = request;
  const inserted = await db
    .insertInto('idempotency')
    .values({
      tenant_id: tenantId,
      subject,
      route,
      key,
      fingerprint,
      resource_id: resourceId,
      lease_until: leaseUntil,
      created_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 1n) return { kind: 'proceed', resourceId };
  return await db.transaction().execute(async (transaction) => {
    const mine = { tenant_id: tenantId, subject, route, key };
    const row = await transaction
      .selectFrom('idempotency')
      .selectAll()
      .where((eb) => eb.and(mine))
      .forUpdate()
      .executeTakeFirst();
    if (!row) return { kind: 'in-progress' };
    if (row.fingerprint !== fingerprint) return { kind: 'reused' };
    if (row.status !== null)
      return { kind: 'replay', answer: { status: row.status, headers: row.headers ?? {}, body: row.body } };
    if (row.lease_until.getTime() > Date.parse(at)) return { kind: 'in-progress' };
    await transaction
      .updateTable('idempotency')
      .set({ lease_until: leaseUntil })
      .where((eb) => eb.and(mine))
      .execute();
    return { kind: 'proceed', resourceId: row.resource_id };
  });
}
