import { createRoute } from '@hono/zod-openapi';
import { hasErrors } from '../../graph/definition/index.ts';
import { toJsonObject } from '../../graph/values/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import { methodNotAllowed } from '../http/errors.ts';
import { findVersion } from '../graphs/find-published.ts';
import { publishGraph } from '../graphs/publish-graph.ts';
import { linkGraphs, findIssues } from '../graphs/resolve-graph.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { readPage } from '../http/paging.ts';
import { GRAPH_READERS } from '../http/authenticate.ts';
import { KeyHeader, NoQuery, PageQuery, body, json, problems } from '../schemas/common.ts';
import { DefinitionSchema, GraphListSchema, GraphSchema, ValidationSchema } from '../schemas/graph.ts';
import { GraphName, NameAndVersion } from '../schemas/graph-version.ts';

const MAX_BODY_BYTES = 4 * 1_048_576;
const tags = ['graphs'];

const publish: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/graphs',
    operationId: 'publishGraph',
    tags,
    security: needs('graph:publish'),
    summary: 'Publish a definition; the same content again is the same version',
    middleware: [authorized(deps, 'graph:publish'), jsonBody(MAX_BODY_BYTES, 'is-refused'), idempotent(deps)] as const,
    request: { ...body(DefinitionSchema, true), headers: KeyHeader },
    responses: {
      200: json(GraphSchema, 'Published before'),
      201: json(GraphSchema, 'A new version'),
      ...problems(400, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const definition = toJsonObject(c.req.valid('json'));
    const { tenantId, sub: by } = c.get('caller');
    const published = await publishGraph(definition, { ...deps, tenantId, by });
    const { name, version } = published.graph;
    c.set('acts', [{ action: 'graph.publish', subject: `${name}@${version}` }]);
    return c.json(toGraphJson(published.graph), published.isNew ? 201 : 200);
  });
};

const validate: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/graphs/validate',
    operationId: 'validateGraph',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'Find every issue of a definition without publishing it',
    middleware: [authorized(deps, ...GRAPH_READERS), jsonBody(MAX_BODY_BYTES, 'is-refused')] as const,
    request: body(DefinitionSchema, true),
    responses: { 200: json(ValidationSchema, 'Its issues'), ...problems(400, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const { store, graphJobs } = deps;
    const { tenantId } = c.get('caller');
    const definition = toJsonObject(c.req.valid('json'));
    const linked = await linkGraphs(definition, { store, tenantId });
    const issues = await findIssues(definition, linked, { graphJobs, tenantId });
    return c.json({ valid: !hasErrors(issues), issues }, 200);
  });
};

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs',
    operationId: 'listGraphs',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'The newest version of every graph, by name',
    middleware: [authorized(deps, ...GRAPH_READERS)] as const,
    request: { query: PageQuery },
    responses: { 200: json(GraphListSchema, 'A page of graphs'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const { tenantId } = c.get('caller');
    const list = ['graphs', tenantId];
    const page = await readPage(deps.cursors, { list, ...c.req.valid('query') }, async (request) =>
      deps.store.graphs.list(tenantId, request),
    );
    return c.json(page, 200);
  });
};

const newest: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}',
    operationId: 'getGraph',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'The newest version of a graph',
    middleware: [authorized(deps, ...GRAPH_READERS)] as const,
    request: { params: GraphName, query: NoQuery },
    responses: { 200: json(GraphSchema, 'The graph'), ...problems(404) },
  });
  router.openapi(route, async (c) =>
    c.json(toGraphJson(await findVersion(deps, c.get('caller'), c.req.valid('param'))), 200),
  );
};

const version: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}/versions/{version}',
    operationId: 'getGraphVersion',
    tags,
    security: needs(...GRAPH_READERS),
    summary: 'One version of a graph',
    middleware: [authorized(deps, ...GRAPH_READERS)] as const,
    request: { params: NameAndVersion, query: NoQuery },
    responses: { 200: json(GraphSchema, 'The graph'), ...problems(404) },
  });
  router.openapi(route, async (c) =>
    c.json(toGraphJson(await findVersion(deps, c.get('caller'), c.req.valid('param'))), 200),
  );
};

/** Keeps the path of `validate` from being read as that of a graph, whose name can't be this one. */
const onlyValidate: AddRoute = (router) => {
  router.use('/api/graphs/validate', async (c, next) => {
    if (c.req.method !== 'POST') throw methodNotAllowed(c.req.method, ['POST']);
    await next();
  });
};

/** Routes of graphs: publish, validate, read. */
export const graphRoutes = routes(onlyValidate, publish, validate, list, newest, version);

function toGraphJson({ pins: _pins, ...graph }: PublishedGraph) {
  return graph;
}
