import { createRoute } from '@hono/zod-openapi';
import { setAlias, unknownAlias } from '../../graphs/set-alias.ts';
import { readPage } from '../../http/paging.ts';
import { GRAPH_READERS } from '../../http/permissions.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { idempotent } from '../../middleware/idempotent.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems } from '../../schemas/common.ts';
import {
  GraphAliasListSchema,
  GraphAliasSchema,
  GraphName,
  NameAndAlias,
  NewAliasSchema,
} from '../../schemas/graph-version.ts';

const tags = ['graphs'];
const path = '/api/graphs/{name}/aliases/{alias}';

const put: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'put',
    path,
    operationId: 'setGraphAlias',
    tags,
    security: needs('graph:publish'),
    summary: 'Name a version: runs of `name@alias` use it, and a part of them its canary',
    middleware: [authorized(deps, 'graph:publish'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: NameAndAlias, ...body(NewAliasSchema), headers: KeyHeader },
    responses: {
      200: json(GraphAliasSchema, 'The alias, which was there before'),
      201: json(GraphAliasSchema, 'The new alias'),
      ...problems(400, 404, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const { version, canary = null } = c.req.valid('json');
    const wanted = { ...c.req.valid('param'), version, canary };
    const { alias, isNew } = await setAlias(deps, c.get('caller'), wanted);
    return c.json(alias, isNew ? 201 : 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path,
    operationId: 'getGraphAlias',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'The version that an alias names',
    middleware: [authorized(deps, ...GRAPH_READERS)] as const,
    request: { params: NameAndAlias, query: NoQuery },
    responses: { 200: json(GraphAliasSchema, 'The alias'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const { tenantId } = c.get('caller');
    const wanted = c.req.valid('param');
    const alias = await deps.store.graphAliases.find({ tenantId, ...wanted });
    if (!alias) throw unknownAlias(wanted);
    return c.json(alias, 200);
  });
};

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}/aliases',
    operationId: 'listGraphAliases',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'The aliases of a graph, by name',
    middleware: [authorized(deps, ...GRAPH_READERS)] as const,
    request: { params: GraphName, query: PageQuery },
    responses: { 200: json(GraphAliasListSchema, 'A page of aliases'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const { tenantId } = c.get('caller');
    const { name } = c.req.valid('param');
    const page = await readPage(
      deps.cursors,
      { list: ['aliases', tenantId, name], ...c.req.valid('query') },
      async (request) => await deps.store.graphAliases.list(tenantId, name, request),
    );
    return c.json(page, 200);
  });
};

const remove: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path,
    operationId: 'deleteGraphAlias',
    tags,
    security: needs('graph:publish'),
    summary: 'Remove an alias; its version stays published',
    middleware: [authorized(deps, 'graph:publish')] as const,
    request: { params: NameAndAlias, query: NoQuery },
    responses: { 204: { description: 'There is no such alias now' }, ...problems() },
  });
  router.openapi(route, async (c) => {
    const { tenantId } = c.get('caller');
    await deps.store.graphAliases.remove({ tenantId, ...c.req.valid('param') });
    return c.body(null, 204);
  });
};

/** Routes of aliases, which name versions of a graph. */
export const graphAliasRoutes = routes(put, read, list, remove);
