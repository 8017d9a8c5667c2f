import { toJson, toMs } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { MAX_MEMORY_ENTRIES, tooLargeForMemory } from '../../store/memory/memory.ts';
import { ApiError } from '../http/errors.ts';
import { readPageByCursor } from '../http/paging.ts';
import { routes, tagged } from '../middleware/route.ts';
import { jsonAnswer } from '../schemas/common.ts';
import {
  MemoryListSchema,
  MemoryQuery,
  MemorySchema,
  Namespace,
  NamespaceAndKey,
  NewMemorySchema,
} from '../schemas/memory.ts';

const memoryTag = tagged('memory');

const putMemoryRoute = memoryTag.put('/api/memory/{namespace}/{key}', 'memory:write', {
  id: 'putMemory',
  summary: 'Remember a value, in place of what was there',
  params: NamespaceAndKey,
  body: NewMemorySchema,
  audit: 'none',
  answers: {
    200: jsonAnswer(MemorySchema, 'The entry, which was there before'),
    201: jsonAnswer(MemorySchema, 'The new entry'),
  },
  handle: (deps) => {
    const { memory } = deps.store;
    return async (c) => {
      const { tenantId, sub: by } = c.get('caller');
      const { value: given, ttl } = c.req.valid('json');
      const value = toJson(given);
      requireSmallValue(value);
      const at = { tenantId, ...c.req.valid('param') };
      const expiresAt = ttl === undefined ? null : new Date(Date.now() + toMs(ttl)).toISOString();
      const written = await memory.put(at, { value, expiresAt, by, runId: null });
      if (!written) throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_MEMORY_ENTRIES} entries of memory`);
      const { entry, isNew } = written;
      return c.json(entry, isNew ? 201 : 200);
    };
  },
});

function requireSmallValue(value: Json): void {
  const tooLarge = tooLargeForMemory(value);
  if (tooLarge !== null) throw new ApiError('BODY_TOO_LARGE', tooLarge);
}

const getMemoryRoute = memoryTag.get('/api/memory/{namespace}/{key}', 'run:read', {
  id: 'getMemory',
  summary: 'What is remembered under a key',
  params: NamespaceAndKey,
  answers: { 200: jsonAnswer(MemorySchema, 'The entry') },
  problems: [404],
  handle: (deps) => async (c) => {
    const at = c.req.valid('param');
    const entry = await deps.store.memory.find({ tenantId: c.get('caller').tenantId, ...at });
    if (!entry) throw new ApiError('NOT_FOUND', `Nothing is remembered under "${at.key}" in "${at.namespace}"`);
    return c.json(entry, 200);
  },
});

const deleteMemoryRoute = memoryTag.delete('/api/memory/{namespace}/{key}', 'memory:write', {
  id: 'deleteMemory',
  summary: 'Forget what is remembered under a key',
  params: NamespaceAndKey,
  audit: {
    action: 'memory.delete',
    subject: ({ namespace, key }) => `${namespace ?? ''}/${key ?? ''}`,
  },
  answers: { 204: { description: 'There is no such entry now' } },
  handle: (deps) => async (c) => {
    await deps.store.memory.remove({ tenantId: c.get('caller').tenantId, ...c.req.valid('param') });
    return c.body(null, 204);
  },
});

const listMemoryRoute = memoryTag.get('/api/memory/{namespace}', 'run:read', {
  id: 'listMemory',
  summary: 'The entries of a namespace by key, or the best for a query',
  params: Namespace,
  query: MemoryQuery,
  answers: { 200: jsonAnswer(MemoryListSchema, 'A page of entries') },
  handle: (deps) => async (c) => {
    const { memory } = deps.store;
    const { prefix, query, ...page } = c.req.valid('query');
    const filter = { tenantId: c.get('caller').tenantId, ...c.req.valid('param'), prefix };
    const found = await readPageByCursor(
      deps.cursors,
      { list: ['memory', filter, query ?? null], ...page },
      async (request) =>
        query === undefined ? await memory.list(filter, request) : await memory.search(filter, query, request.limit),
    );
    return c.json(found, 200);
  },
});

/** Routes of long-term memory, which belongs to a tenant and not to a run. */
export const memoryRoutes = routes(putMemoryRoute, getMemoryRoute, deleteMemoryRoute, listMemoryRoute);
