import { createRoute } from '@hono/zod-openapi';
import { diffDefinitions } from '../../graphs/diff-definitions.ts';
import { findVersion, unknownVersion } from '../../graphs/find-version.ts';
import { readPage } from '../../http/paging.ts';
import { GRAPH_READERS } from '../../http/permissions.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { NoQuery, PageQuery, json, problems } from '../../schemas/common.ts';
import { GraphListSchema } from '../../schemas/graph.ts';
import { DiffQuery, GraphDiffSchema, GraphName, NameAndVersion } from '../../schemas/graph-version.ts';

const tags = ['graphs'];

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}/versions',
    operationId: 'listGraphVersions',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'All versions of a graph, the newest first, unpublished ones too',
    middleware: [authorized(deps, ...GRAPH_READERS)] as const,
    request: { params: GraphName, query: PageQuery },
    responses: { 200: json(GraphListSchema, 'A page of versions'), ...problems(400, 404) },
  });
  router.openapi(route, async (c) => {
    const { tenantId } = c.get('caller');
    const { name } = c.req.valid('param');
    const page = await readPage(
      deps.cursors,
      { list: ['versions', tenantId, name], ...c.req.valid('query') },
      async (request) => await deps.store.graphVersions.list(tenantId, name, request),
    );
    if (page.items.length === 0) throw unknownVersion(name);
    return c.json(page, 200);
  });
};

const diff: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}/diff',
    operationId: 'diffGraphVersions',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'What differs between two versions of a graph',
    middleware: [authorized(deps, ...GRAPH_READERS)] as const,
    request: { params: GraphName, query: DiffQuery },
    responses: { 200: json(GraphDiffSchema, 'The differences'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const { name } = c.req.valid('param');
    const { from, to } = c.req.valid('query');
    const [before, after] = await Promise.all(
      [from, to].map(async (version) => await findVersion(deps, c.get('caller'), { name, version })),
    );
    if (!before || !after) throw unknownVersion(name);
    return c.json({ name, from, to, changes: diffDefinitions(before.definition, after.definition) }, 200);
  });
};

const unpublish: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path: '/api/graphs/{name}/versions/{version}',
    operationId: 'unpublishGraphVersion',
    tags,
    security: needs('graph:publish'),
    summary: 'Take a version back: no new run may name it, those that have begun go on',
    middleware: [authorized(deps, 'graph:publish')] as const,
    request: { params: NameAndVersion, query: NoQuery },
    responses: { 204: { description: 'No new run may name the version' }, ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const { tenantId, sub } = c.get('caller');
    const { name, version } = c.req.valid('param');
    const at = new Date().toISOString();
    const isKnown = await deps.store.graphVersions.unpublish({ tenantId, name, version }, sub, at);
    if (!isKnown) throw unknownVersion(name, version);
    return c.body(null, 204);
  });
};

/** Routes of the versions of a graph: list, compare, take back. */
export const graphVersionRoutes = routes(list, diff, unpublish);
