import { diffDefinitions } from '../graphs/diff-definitions.ts';
import { findVersion, unknownVersion } from '../graphs/find-published.ts';
import { readPageByCursor } from '../http/paging.ts';
import { GRAPH_READERS } from '../http/authenticate.ts';
import { routes, tagged } from '../middleware/route.ts';
import { PageQuery, jsonAnswer, MAX_GRAPH_BYTES } from '../schemas/common.ts';
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
import { mapValues, toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { testGraph } from '../runs/test-graph.ts';

const graphsTag = tagged('graphs');

const listGraphVersionsRoute = graphsTag.get('/api/graphs/{name}/versions', GRAPH_READERS, {
  id: 'listGraphVersions',
  summary: 'All versions of a graph, the newest first, unpublished ones too',
  params: GraphName,
  query: PageQuery,
  answers: { 200: jsonAnswer(GraphListSchema, 'A page of versions') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { tenantId } = c.get('caller');
    const { name } = c.req.valid('param');
    const page = await readPageByCursor(
      deps.cursors,
      { list: ['versions', tenantId, name], ...c.req.valid('query') },
      async (request) => await deps.store.graphVersions.list(tenantId, name, request),
    );
    if (page.items.length === 0) throw unknownVersion(name);
    return c.json(page, 200);
  },
});

const diffGraphVersionsRoute = graphsTag.get('/api/graphs/{name}/diff', GRAPH_READERS, {
  id: 'diffGraphVersions',
  summary: 'What differs between two versions of a graph',
  params: GraphName,
  query: DiffQuery,
  answers: { 200: jsonAnswer(GraphDiffSchema, 'The differences') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { name } = c.req.valid('param');
    const { from, to } = c.req.valid('query');
    const [before, after] = await Promise.all(
      [from, to].map(async (version) => await findVersion(deps.store, c.get('caller'), name, version)),
    );
    if (!before || !after) throw unknownVersion(name);
    return c.json({ name, from, to, changes: diffDefinitions(before.definition, after.definition) }, 200);
  },
});

const unpublishGraphVersionRoute = graphsTag.delete('/api/graphs/{name}/versions/{version}', 'graph:publish', {
  id: 'unpublishGraphVersion',
  summary: 'Take a version back: no new run may name it, those that have begun go on',
  params: NameAndVersion,
  audit: {
    action: 'graph.unpublish',
    subject: ({ name, version }) => `${name ?? ''}@${version ?? ''}`,
  },
  answers: { 204: { description: 'No new run may name the version' } },
  problems: [404],
  handle: (deps) => async (c) => {
    const { tenantId, sub } = c.get('caller');
    const { name, version } = c.req.valid('param');
    const at = new Date().toISOString();
    const isKnown = await deps.store.graphVersions.unpublish({ tenantId, name, version }, sub, at);
    if (!isKnown) throw unknownVersion(name, version);
    return c.body(null, 204);
  },
});

const setGraphAliasRoute = graphsTag.put('/api/graphs/{name}/aliases/{alias}', 'graph:publish', {
  id: 'setGraphAlias',
  summary: 'Name a version: runs of `name@alias` use it, and a part of them its canary',
  params: NameAndAlias,
  body: NewAliasSchema,
  audit: {
    action: 'graph.alias.set',
    subject: ({ name, alias }) => `${name ?? ''}@${alias ?? ''}`,
  },
  answers: {
    200: jsonAnswer(GraphAliasSchema, 'The alias, which was there before'),
    201: jsonAnswer(GraphAliasSchema, 'The new alias'),
  },
  problems: [404],
  handle: (deps) => async (c) => {
    const { version, canary = null } = c.req.valid('json');
    const wanted = { ...c.req.valid('param'), version, canary };
    const { alias, isNew } = await setAlias(deps.store, c.get('caller'), wanted);
    return c.json(alias, isNew ? 201 : 200);
  },
});

const getGraphAliasRoute = graphsTag.get('/api/graphs/{name}/aliases/{alias}', GRAPH_READERS, {
  id: 'getGraphAlias',
  summary: 'The version that an alias names',
  params: NameAndAlias,
  answers: { 200: jsonAnswer(GraphAliasSchema, 'The alias') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { tenantId } = c.get('caller');
    const wanted = c.req.valid('param');
    const alias = await deps.store.graphAliases.find({ tenantId, ...wanted });
    if (!alias) throw unknownAlias(wanted);
    return c.json(alias, 200);
  },
});

const listGraphAliasesRoute = graphsTag.get('/api/graphs/{name}/aliases', GRAPH_READERS, {
  id: 'listGraphAliases',
  summary: 'The aliases of a graph, by name',
  params: GraphName,
  query: PageQuery,
  answers: { 200: jsonAnswer(GraphAliasListSchema, 'A page of aliases') },
  handle: (deps) => async (c) => {
    const { tenantId } = c.get('caller');
    const { name } = c.req.valid('param');
    const page = await readPageByCursor(
      deps.cursors,
      { list: ['aliases', tenantId, name], ...c.req.valid('query') },
      async (request) => await deps.store.graphAliases.list(tenantId, name, request),
    );
    return c.json(page, 200);
  },
});

const deleteGraphAliasRoute = graphsTag.delete('/api/graphs/{name}/aliases/{alias}', 'graph:publish', {
  id: 'deleteGraphAlias',
  summary: 'Remove an alias; its version stays published',
  params: NameAndAlias,
  audit: {
    action: 'graph.alias.delete',
    subject: ({ name, alias }) => `${name ?? ''}@${alias ?? ''}`,
  },
  answers: { 204: { description: 'There is no such alias now' } },
  handle: (deps) => async (c) => {
    const { tenantId } = c.get('caller');
    await deps.store.graphAliases.remove({ tenantId, ...c.req.valid('param') });
    return c.body(null, 204);
  },
});

const testGraphRoute = graphsTag.post('/api/graphs/{name}/test', 'graph:publish', {
  id: 'testGraph',
  summary: 'Play a graph with given outputs of its nodes; nothing is called and nothing is kept',
  params: GraphReference,
  body: NewGraphTestSchema,
  maxBytes: MAX_GRAPH_BYTES,
  key: 'none',
  audit: 'none',
  answers: { 200: jsonAnswer(TestedGraphSchema, 'How its run went') },
  problems: [404, 429],
  handle: (deps) => async (c) => {
    const { input, outputs, decisions, events, expect } = c.req.valid('json');
    const test = {
      input: toJsonObject(input),
      outputs: mapValues(toJsonObject(outputs), toTestOutputs),
      decisions,
      events,
      expect: { path: expect.path, state: expect.state && toJsonObject(expect.state) },
    };
    return c.json(await testGraph(deps, c.get('caller'), c.req.valid('param').name, test), 200);
  },
});

function toTestOutputs(outputs: Json): readonly Json[] {
  return Array.isArray(outputs) ? outputs : [outputs];
}

/** Routes of the versions of a graph: list, compare, unpublish, set aliases, test. */
export const graphVersionRoutes = routes(
  listGraphVersionsRoute,
  diffGraphVersionsRoute,
  unpublishGraphVersionRoute,
  setGraphAliasRoute,
  getGraphAliasRoute,
  listGraphAliasesRoute,
  deleteGraphAliasRoute,
  testGraphRoute,
);
