import { createHash } from 'node:crypto';
import { createRoute } from '@hono/zod-openapi';
import { definitionSchema } from '../../graph/schema/index.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { GivenRecord, NoQuery } from '../schemas/common.ts';

const CACHE = 'public, max-age=3600';

const definition: AddRoute = (router, { catalog }) => {
  const text = JSON.stringify(definitionSchema(catalog.nodeTypes));
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const route = createRoute({
    method: 'get',
    path: '/schemas/graph-definition.json',
    operationId: 'getDefinitionSchema',
    tags: ['graphs'],
    security: [],
    summary: 'The JSON Schema of graph definitions, for editors',
    request: { query: NoQuery },
    responses: {
      200: { description: 'A JSON Schema (2020-12)', content: { 'application/schema+json': { schema: GivenRecord } } },
      304: { description: 'It is the one that `If-None-Match` names' },
    },
  });
  router.openapi(route, (c) => {
    const headers = { etag, 'cache-control': CACHE, 'access-control-allow-origin': '*' };
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
    return c.body(text, 200, { ...headers, 'content-type': 'application/schema+json' });
  });
};

/** Routes of JSON Schemas, which need no token. */
export const schemaRoutes = routes(definition);
