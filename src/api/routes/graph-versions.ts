import { createRoute } from '@hono/zod-openapi';
import { diffDefinitions } from '../graphs/diff-definitions.ts';
import { findVersion, unknownVersion } from '../graphs/find-published.ts';
import { readPage } from '../http/paging.ts';
import { GRAPH_READERS } from '../http/authenticate.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import {
  NoQuery,
  PageQuery,
  json,
  problems,
  KeyHeader,
  MAX_BODY_BYTES as MAX_ALIAS_BYTES,
  body,
} from '../schemas/common.ts';
import { GraphListSchema } from '../schemas/graph.ts';
import {
  DiffQuery,
  GraphDiffSchema,
  GraphName,
  NameAndVersion,
  GraphAliasListSchema,
  GraphAliasSchema,
  NameAndAlias,
  NewAliasSchema,
  GraphReference,
  NewGraphTestSchema,
  TestedGraphSchema,
} from '../schemas/graph-version.ts';
import { setAlias, unknownAlias } from '../graphs/publish-graph.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { mapValues, toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { testGraph } from '../runs/test-graph.ts';

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

const aliasTags = ['graphs'];
const path = '/api/graphs/{name}/aliases/{alias}';

const put: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'put',
    path,
    operationId: 'setGraphAlias',
    tags: aliasTags,
    security: needs('graph:publish'),
    summary: 'Name a version: runs of `name@alias` use it, and a part of them its canary',
    middleware: [authorized(deps, 'graph:publish'), jsonBody(MAX_ALIAS_BYTES), idempotent(deps)] as const,
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
    tags: aliasTags,
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

const listAliases: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}/aliases',
    operationId: 'listGraphAliases',
    tags: aliasTags,
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
    tags: aliasTags,
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
export const graphAliasRoutes = routes(put, read, listAliases, remove);

const MAX_BODY_BYTES = 4 * 1_048_576;

const test: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/graphs/{name}/test',
    operationId: 'testGraph',
    tags: ['graphs'],
    security: needs('graph:publish'),
    summary: 'Play a graph with given outputs of its nodes; nothing is called and nothing is kept',
    middleware: [authorized(deps, 'graph:publish'), jsonBody(MAX_BODY_BYTES)] as const,
    request: { params: GraphReference, ...body(NewGraphTestSchema) },
    responses: { 200: json(TestedGraphSchema, 'How its run went'), ...problems(400, 404, 413, 415, 429) },
  });
  router.openapi(route, async (c) => {
    const { input, outputs, decisions, events, expect } = c.req.valid('json');
    const test = {
      input: toJsonObject(input),
      outputs: mapValues(toJsonObject(outputs), toOutputs),
      decisions,
      events,
      expect: { path: expect.path, state: expect.state && toJsonObject(expect.state) },
    };
    return c.json(await testGraph(deps, c.get('caller'), { reference: c.req.valid('param').name, test }), 200);
  });
};

function toOutputs(outputs: Json): readonly Json[] {
  return Array.isArray(outputs) ? outputs : [outputs];
}

/** The route that tests a graph. */
export const graphTestRoutes = routes(test);
