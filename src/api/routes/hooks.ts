import { createRoute } from '@hono/zod-openapi';
import { toJsonObject } from '../../graph/values/index.ts';
import type { HookAction } from '../../store/platform-tables.ts';
import { changeHook, findHook, shownHook, shownHooks } from '../hooks/change-hook.ts';
import { ApiError } from '../http/errors.ts';
import { readPage } from '../http/paging.ts';
import { authorized, needs, requirePermission, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody, readBytes } from '../middleware/bodies.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems } from '../schemas/common.ts';
import { HookListSchema, HookName, HookSchema, NewHookSchema, HookAddress, ReceivedSchema } from '../schemas/hook.ts';
import { receiveMessage } from '../hooks/receive-message.ts';

const tags = ['hooks'];
const path = '/api/hooks/{id}';
const security = needs('run:control');

const put: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'put',
    path,
    operationId: 'putHook',
    tags,
    security,
    summary: 'Let signed messages of another system start runs (which needs `run:start`, too), or be events of runs',
    middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: HookName, ...body(NewHookSchema), headers: KeyHeader },
    responses: {
      200: json(HookSchema, 'The hook, which was there before'),
      201: json(HookSchema, 'The new hook'),
      ...problems(400, 409, 413, 415, 429),
    },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { scheme, secret: given, ...what } = c.req.valid('json');
    if (what.start) requirePermission(caller, 'run:start');
    const { hook, isNew } = await changeHook(deps, {
      tenantId: caller.tenantId,
      name: c.req.valid('param').id,
      scheme,
      secret: typeof given === 'string' ? { value: given } : given,
      action: toAction(what),
      by: { sub: caller.sub, roles: caller.roles },
    });
    return c.json(await shownHook(deps, caller, hook), isNew ? 201 : 200);
  });
};

/** What a hook is to do, as a body has it. */
interface GivenAction {
  readonly start?: { readonly graph: string; readonly input: object } | undefined;
  readonly event?: { readonly run: string; readonly name: string } | undefined;
}

function toAction({ start, event }: GivenAction): HookAction {
  if (start) return { start: { graph: start.graph, input: toJsonObject(start.input) } };
  if (event) return { event };
  throw new ApiError('INVALID_REQUEST', 'Give either "start" or "event"');
}

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/hooks',
    operationId: 'listHooks',
    tags,
    security,
    summary: 'The hooks of the tenant by name',
    middleware: [authorized(deps, 'run:control')] as const,
    request: { query: PageQuery },
    responses: { 200: json(HookListSchema, 'A page of hooks'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const page = await readPage(
      deps.cursors,
      { list: ['hooks', tenantId], ...c.req.valid('query') },
      async (request) => await deps.store.hooks.list(tenantId, request),
    );
    return c.json({ ...page, items: await shownHooks(deps, caller, page.items) }, 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path,
    operationId: 'getHook',
    tags,
    security,
    summary: 'A hook',
    middleware: [authorized(deps, 'run:control')] as const,
    request: { params: HookName, query: NoQuery },
    responses: { 200: json(HookSchema, 'The hook'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const hook = await findHook(deps, { tenantId: caller.tenantId, name: c.req.valid('param').id });
    return c.json(await shownHook(deps, caller, hook), 200);
  });
};

const remove: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path,
    operationId: 'deleteHook',
    tags,
    security,
    summary: 'Take no messages any more',
    middleware: [authorized(deps, 'run:control')] as const,
    request: { params: HookName, query: NoQuery },
    responses: { 204: { description: 'There is no such hook now' }, ...problems() },
  });
  router.openapi(route, async (c) => {
    await deps.store.hooks.remove({ tenantId: c.get('caller').tenantId, name: c.req.valid('param').id });
    return c.body(null, 204);
  });
};

/** Routes of hooks, by which messages of other systems come in. */
export const hookRoutes = routes(put, list, read, remove);

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
