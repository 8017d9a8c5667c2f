import { toJsonObject } from '../../graph/values/index.ts';
import { changeHook, findHook, toHookJson, toHooksJson } from '../hooks/change-hook.ts';
import { ApiError } from '../http/errors.ts';
import { readPage } from '../http/paging.ts';
import { readBytes } from '../middleware/bodies.ts';
import { withId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import { MAX_BODY_BYTES, PageQuery, json } from '../schemas/common.ts';
import { HookListSchema, HookName, HookSchema, NewHookSchema, HookAddress, ReceivedSchema } from '../schemas/hook.ts';
import { receiveMessage } from '../hooks/receive-message.ts';
import { requirePermission } from '../http/authenticate.ts';
import type { HookAction } from '../../store/hook.ts';

const hooks = tagged('hooks');

const put = hooks.put('/api/hooks/{id}', 'run:control', {
  id: 'putHook',
  summary: 'Let signed messages of another system start runs (which needs `run:start`, too), or be events of runs',
  params: HookName,
  body: NewHookSchema,
  audit: withId('hook.put'),
  answers: { 200: json(HookSchema, 'The hook, which was there before'), 201: json(HookSchema, 'The new hook') },
  problems: [429],
  handle: (deps) => async (c) => {
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
    return c.json(await toHookJson(deps, caller, hook), isNew ? 201 : 200);
  },
});

/** The action of a hook, as in a request body. */
interface GivenAction {
  readonly start?: { readonly graph: string; readonly input: object } | undefined;
  readonly event?: { readonly run: string; readonly name: string } | undefined;
}

function toAction({ start, event }: GivenAction): HookAction {
  if (start) return { start: { graph: start.graph, input: toJsonObject(start.input) } };
  if (event) return { event };
  throw new ApiError('INVALID_REQUEST', 'Give either "start" or "event"');
}

const list = hooks.get('/api/hooks', 'run:control', {
  id: 'listHooks',
  summary: 'The hooks of the tenant by name',
  query: PageQuery,
  answers: { 200: json(HookListSchema, 'A page of hooks') },
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const page = await readPage(
      deps.cursors,
      { list: ['hooks', tenantId], ...c.req.valid('query') },
      async (request) => await deps.store.hooks.list(tenantId, request),
    );
    return c.json({ ...page, items: await toHooksJson(deps, caller, page.items) }, 200);
  },
});

const read = hooks.get('/api/hooks/{id}', 'run:control', {
  id: 'getHook',
  summary: 'A hook',
  params: HookName,
  answers: { 200: json(HookSchema, 'The hook') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const hook = await findHook(deps, { tenantId: caller.tenantId, name: c.req.valid('param').id });
    return c.json(await toHookJson(deps, caller, hook), 200);
  },
});

const remove = hooks.delete('/api/hooks/{id}', 'run:control', {
  id: 'deleteHook',
  summary: 'Take no messages any more',
  params: HookName,
  audit: withId('hook.delete'),
  answers: { 204: { description: 'There is no such hook now' } },
  handle: (deps) => async (c) => {
    await deps.store.hooks.remove({ tenantId: c.get('caller').tenantId, name: c.req.valid('param').id });
    return c.body(null, 204);
  },
});

/** The body is only described and not parsed, because signatures cover its bytes. */
const otherBody = {
  required: true,
  description: 'A message with its signature in the headers, as its scheme wants it',
  content: {
    'application/json': { schema: { example: { action: 'opened', issue: { number: 7 } } } },
    'application/x-www-form-urlencoded': { schema: { type: 'object', example: { command: '/ask', text: 'Why?' } } },
  },
} as const;

const receive = hooks.post('/api/hooks/{id}', 'signature', {
  id: 'receiveMessage',
  summary: 'Take a signed message of another system; it needs no token, and the same message again does nothing more',
  params: HookAddress,
  otherBody,
  audit: 'none',
  answers: {
    200: json(ReceivedSchema, 'The answer of before, or there was nothing to do'),
    202: json(ReceivedSchema, 'It has started a run, or a run has taken its event'),
  },
  problems: [404, 409, 429],
  handle: (deps) => async (c) => {
    const { headers } = c.req.raw;
    const bytes = await readBytes(c.req.raw, MAX_BODY_BYTES);
    const request = { headers, bytes, atMs: Date.now() };
    const { status, body } = await receiveMessage(deps, c.req.valid('param').id, request);
    return c.json(body, status);
  },
});

/** Routes of hooks, which receive messages of other systems. */
export const hookRoutes = routes(put, list, read, remove, receive);
