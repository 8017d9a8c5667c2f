import { createRoute } from '@hono/zod-openapi';
import { toJson, toMs } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { MAX_MEMORY_ENTRIES, tooLargeForMemory } from '../../store/memory/memory.ts';
import { ApiError } from '../http/errors.ts';
import { readPage } from '../http/paging.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, body, json, problems } from '../schemas/common.ts';
import {
  MemoryListSchema,
  MemoryQuery,
  MemorySchema,
  Namespace,
  NamespaceAndKey,
  NewMemorySchema,
} from '../schemas/memory.ts';

const tags = ['memory'];
const path = '/api/memory/{namespace}/{key}';

const put: AddRoute = (router, deps) => {
  const { memory } = deps.store;
  const route = createRoute({
    method: 'put',
    path,
    operationId: 'putMemory',
    tags,
    security: needs('memory:write'),
    summary: 'Remember a value, in place of what was there',
    middleware: [authorized(deps, 'memory:write'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: NamespaceAndKey, ...body(NewMemorySchema), headers: KeyHeader },
    responses: {
      200: json(MemorySchema, 'The entry, which was there before'),
      201: json(MemorySchema, 'The new entry'),
      ...problems(400, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const { tenantId, sub: by } = c.get('caller');
    const { value: given, ttl } = c.req.valid('json');
    const value = toJson(given);
    requireSmall(value);
    const at = { tenantId, ...c.req.valid('param') };
    const expiresAt = ttl === undefined ? null : new Date(Date.now() + toMs(ttl)).toISOString();
    const written = await memory.put(at, { value, expiresAt, by, runId: null });
    if (!written) throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_MEMORY_ENTRIES} entries of memory`);
    const { entry, isNew } = written;
    return c.json(entry, isNew ? 201 : 200);
  });
};

function requireSmall(value: Json): void {
  const tooLarge = tooLargeForMemory(value);
  if (tooLarge !== null) throw new ApiError('BODY_TOO_LARGE', tooLarge);
}

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path,
    operationId: 'getMemory',
    tags,
    security: needs('run:read'),
    summary: 'What is remembered under a key',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: NamespaceAndKey, query: NoQuery },
    responses: { 200: json(MemorySchema, 'The entry'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const at = c.req.valid('param');
    const entry = await deps.store.memory.find({ tenantId: c.get('caller').tenantId, ...at });
    if (!entry) throw new ApiError('NOT_FOUND', `Nothing is remembered under "${at.key}" in "${at.namespace}"`);
    return c.json(entry, 200);
  });
};

const remove: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path,
    operationId: 'deleteMemory',
    tags,
    security: needs('memory:write'),
    summary: 'Forget what is remembered under a key',
    middleware: [authorized(deps, 'memory:write')] as const,
    request: { params: NamespaceAndKey, query: NoQuery },
    responses: { 204: { description: 'There is no such entry now' }, ...problems() },
  });
  router.openapi(route, async (c) => {
    await deps.store.memory.remove({ tenantId: c.get('caller').tenantId, ...c.req.valid('param') });
    return c.body(null, 204);
  });
};

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/memory/{namespace}',
    operationId: 'listMemory',
    tags,
    security: needs('run:read'),
    summary: 'The entries of a namespace by key, or the best for a query',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: Namespace, query: MemoryQuery },
    responses: { 200: json(MemoryListSchema, 'A page of entries'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const { memory } = deps.store;
    const { prefix, query, ...page } = c.req.valid('query');
    const filter = { tenantId: c.get('caller').tenantId, ...c.req.valid('param'), prefix };
    const found = await readPage(deps.cursors, { list: ['memory', filter, query ?? null], ...page }, async (request) =>
      query === undefined ? await memory.list(filter, request) : await memory.search(filter, query, request.limit),
    );
    return c.json(found, 200);
  });
};

/** Routes of long-term memory, which belongs to a tenant and to no run. */
export const memoryRoutes = routes(put, read, remove, list);
