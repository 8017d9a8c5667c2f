import { createRoute } from '@hono/zod-openapi';
import { receiveMessage } from '../../hooks/receive-message.ts';
import { readBytes } from '../../middleware/read-bytes.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { MAX_BODY_BYTES, NoQuery, json, problems } from '../../schemas/common.ts';
import { HookAddress, ReceivedSchema } from '../../schemas/hook.ts';

/** The body is described only: signatures are of its bytes. */
const requestBody = {
  required: true,
  description: 'A message with its signature in the headers, as its scheme wants it',
  content: {
    'application/json': { schema: { example: { action: 'opened', issue: { number: 7 } } } },
    'application/x-www-form-urlencoded': { schema: { type: 'object', example: { command: '/ask', text: 'Why?' } } },
  },
} as const;

const receive: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/hooks/{id}',
    operationId: 'receiveMessage',
    tags: ['hooks'],
    security: [],
    summary: 'Take a signed message of another system; it needs no token, and the same message again does nothing more',
    request: { params: HookAddress, query: NoQuery },
    requestBody,
    responses: {
      200: json(ReceivedSchema, 'The answer of before, or there was nothing to do'),
      202: json(ReceivedSchema, 'It has started a run, or a run has taken its event'),
      ...problems(400, 404, 409, 413, 415, 429),
    },
  });
  router.openapi(route, async (c) => {
    const { headers } = c.req.raw;
    const bytes = await readBytes(c.req.raw, MAX_BODY_BYTES);
    const request = { headers, bytes, atMs: Date.now() };
    const { status, body } = await receiveMessage(deps, c.req.valid('param').id, request);
    return c.json(body, status);
  });
};

/** The route that messages of other systems are posted to. Their signatures stand in for tokens. */
export const receivedMessageRoutes = routes(receive);
