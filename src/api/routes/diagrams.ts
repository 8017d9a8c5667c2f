import { createRoute, z } from '@hono/zod-openapi';
import { drawDiagram } from '../runs/draw-diagram.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { problems } from '../schemas/common.ts';

const Query = z.strictObject({
  format: z.enum(['mermaid', 'plantuml']).default('mermaid').openapi({ description: 'The language of the drawing' }),
  run: z.string().min(1).optional().openapi({
    description: 'A run of the graph: its version is drawn, visited nodes and the current ones are marked',
  }),
});

const diagram: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}/diagram',
    operationId: 'drawGraph',
    tags: ['graphs'],
    security: needs('run:read', 'graph:publish'),
    summary: 'A graph as a drawing, in the text of Mermaid or PlantUML',
    middleware: [authorized(deps, 'run:read', 'graph:publish')] as const,
    request: { params: z.object({ name: z.string().openapi({ description: 'The name of the graph' }) }), query: Query },
    responses: {
      200: { description: 'The drawing', content: { 'text/plain': { schema: z.string() } } },
      ...problems(404),
    },
  });
  router.openapi(route, async (c) => {
    const text = await drawDiagram(deps, c.get('caller'), { ...c.req.valid('param'), ...c.req.valid('query') });
    return c.text(text, 200);
  });
};

/** Routes of diagrams. */
export const diagramRoutes = routes(diagram);
