import { hasErrors } from '../../graph/definition/index.ts';
import { toJsonObject } from '../../graph/values/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import { findVersion } from '../graphs/find-published.ts';
import { publishGraph } from '../graphs/publish-graph.ts';
import { linkGraphs, findIssues } from '../graphs/resolve-graph.ts';
import { readPageByCursor } from '../http/paging.ts';
import { GRAPH_READERS } from '../http/authenticate.ts';
import { onlyPost, routes, tagged } from '../middleware/route.ts';
import { MAX_GRAPH_BYTES, PageQuery, jsonAnswer } from '../schemas/common.ts';
import {
  DefinitionSchema,
  GraphListSchema,
  GraphSchema,
  PublicationSchema,
  ValidationSchema,
} from '../schemas/graph.ts';
import { GraphName, NameAndVersion } from '../schemas/graph-version.ts';

const graphsTag = tagged('graphs');

/** No graph may have this name. */
const VALIDATE = '/api/graphs/validate';

const publishGraphRoute = graphsTag.post('/api/graphs', 'graph:publish', {
  id: 'publishGraph',
  summary: 'Publish a definition, which its name means from now on; the same content again is the same version',
  body: DefinitionSchema,
  maxBytes: MAX_GRAPH_BYTES,
  absentBody: 'is-refused',
  audit: 'by-handler',
  answers: {
    200: jsonAnswer(PublicationSchema, 'Published before'),
    201: jsonAnswer(PublicationSchema, 'A new version'),
  },
  handle: (deps) => async (c) => {
    const definition = toJsonObject(c.req.valid('json'));
    const { tenantId, sub: by } = c.get('caller');
    const { graph, outcome, replaced } = await publishGraph(definition, { ...deps, tenantId, by });
    c.set('acts', [{ action: 'graph.publish', subject: `${graph.name}@${graph.version}` }]);
    return c.json({ ...toGraphJson(graph), outcome, replaced }, outcome === 'created' ? 201 : 200);
  },
});

const validateGraphRoute = graphsTag.post(VALIDATE, GRAPH_READERS, {
  id: 'validateGraph',
  summary: 'Find every issue of a definition without publishing it',
  body: DefinitionSchema,
  maxBytes: MAX_GRAPH_BYTES,
  absentBody: 'is-refused',
  key: 'none',
  audit: 'none',
  answers: { 200: jsonAnswer(ValidationSchema, 'Its issues') },
  handle: (deps) => async (c) => {
    const { store, graphJobs } = deps;
    const { tenantId } = c.get('caller');
    const definition = toJsonObject(c.req.valid('json'));
    const linked = await linkGraphs(definition, { store, tenantId });
    const issues = await findIssues(definition, linked, { graphJobs, tenantId });
    return c.json({ valid: !hasErrors(issues), issues }, 200);
  },
});

const listGraphsRoute = graphsTag.get('/api/graphs', GRAPH_READERS, {
  id: 'listGraphs',
  summary: 'The current version of every graph, which its name means, by name',
  query: PageQuery,
  answers: { 200: jsonAnswer(GraphListSchema, 'A page of graphs') },
  handle: (deps) => async (c) => {
    const { tenantId } = c.get('caller');
    const list = ['graphs', tenantId];
    const page = await readPageByCursor(deps.cursors, { list, ...c.req.valid('query') }, async (request) =>
      deps.store.graphs.list(tenantId, request),
    );
    return c.json(page, 200);
  },
});

const getGraphRoute = graphsTag.get('/api/graphs/{name}', GRAPH_READERS, {
  id: 'getGraph',
  summary: 'The current version of a graph, which its name means',
  params: GraphName,
  answers: { 200: jsonAnswer(GraphSchema, 'The graph') },
  problems: [404],
  handle: (deps) => async (c) =>
    c.json(toGraphJson(await findVersion(deps.store, c.get('caller'), c.req.valid('param').name)), 200),
});

const getGraphVersionRoute = graphsTag.get('/api/graphs/{name}/versions/{version}', GRAPH_READERS, {
  id: 'getGraphVersion',
  summary: 'One version of a graph',
  params: NameAndVersion,
  answers: { 200: jsonAnswer(GraphSchema, 'The graph') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { name, version } = c.req.valid('param');
    return c.json(toGraphJson(await findVersion(deps.store, c.get('caller'), name, version)), 200);
  },
});

/** Routes of graphs: publish, validate, read. */
export const graphRoutes = routes(
  onlyPost(VALIDATE),
  publishGraphRoute,
  validateGraphRoute,
  listGraphsRoute,
  getGraphRoute,
  getGraphVersionRoute,
);

function toGraphJson({ pins: _pins, ...graph }: PublishedGraph) {
  return graph;
}
