import { toJsonObject } from '../../graph/values/index.ts';
import { changeHook, findHook, toHookJson, toHooksJson } from '../hooks/change-hook.ts';
import { ApiError } from '../http/errors.ts';
import { readPageByCursor } from '../http/paging.ts';
import { readBodyBytes } from '../middleware/bodies.ts';
import { auditPathId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import { MAX_BODY_BYTES, PageQuery, jsonAnswer } from '../schemas/common.ts';
import { HookListSchema, HookName, HookSchema, NewHookSchema, HookAddress, ReceivedSchema } from '../schemas/hook.ts';
import { receiveMessage } from '../hooks/receive-message.ts';
import { requirePermission } from '../http/authenticate.ts';
import type { HookAction } from '../../store/hook.ts';

const hooksTag = tagged('hooks');

const putHookRoute = hooksTag.put('/api/hooks/{id}', 'run:control', {
  id: 'putHook',
  summary: 'Let signed messages of another system start runs (which needs `run:start`, too), or be events of runs',
  params: HookName,
  body: NewHookSchema,
  audit: auditPathId('hook.put'),
  answers: {
    200: jsonAnswer(HookSchema, 'The hook, which was there before'),
    201: jsonAnswer(HookSchema, 'The new hook'),
  },
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
      action: toHookAction(what),
      by: { sub: caller.sub, roles: caller.roles },
    });
    return c.json(await toHookJson(deps, caller, hook), isNew ? 201 : 200);
  },
});

/** The action of a hook, as in a request body. */
interface RequestedHookAction {
  readonly start?: { readonly graph: string; readonly input: object } | undefined;
  readonly event?: { readonly run: string; readonly name: string } | undefined;
}

function toHookAction({ start, event }: RequestedHookAction): HookAction {
  if (start) return { start: { graph: start.graph, input: toJsonObject(start.input) } };
  if (event) return { event };
  throw new ApiError('INVALID_REQUEST', 'Give either "start" or "event"');
}

const listHooksRoute = hooksTag.get('/api/hooks', 'run:control', {
  id: 'listHooks',
  summary: 'The hooks of the tenant by name',
  query: PageQuery,
  answers: { 200: jsonAnswer(HookListSchema, 'A page of hooks') },
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const page = await readPageByCursor(
      deps.cursors,
      { list: ['hooks', tenantId], ...c.req.valid('query') },
      async (request) => await deps.store.hooks.list(tenantId, request),
    );
    return c.json({ ...page, items: await toHooksJson(deps, caller, page.items) }, 200);
  },
});

const getHookRoute = hooksTag.get('/api/hooks/{id}', 'run:control', {
  id: 'getHook',
  summary: 'A hook',
  params: HookName,
  answers: { 200: jsonAnswer(HookSchema, 'The hook') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const hook = await findHook(deps, { tenantId: caller.tenantId, name: c.req.valid('param').id });
    return c.json(await toHookJson(deps, caller, hook), 200);
  },
});

const deleteHookRoute = hooksTag.delete('/api/hooks/{id}', 'run:control', {
  id: 'deleteHook',
  summary: 'Take no messages any more',
  params: HookName,
  audit: auditPathId('hook.delete'),
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

const receiveMessageRoute = hooksTag.post('/api/hooks/{id}', 'signature', {
  id: 'receiveMessage',
  summary: 'Take a signed message of another system; it needs no token, and the same message again does nothing more',
  params: HookAddress,
  otherBody,
  audit: 'none',
  answers: {
    200: jsonAnswer(ReceivedSchema, 'The answer of before, or there was nothing to do'),
    202: jsonAnswer(ReceivedSchema, 'It has started a run, or a run has taken its event'),
  },
  problems: [404, 409, 429],
  handle: (deps) => async (c) => {
    const { headers } = c.req.raw;
    const bytes = await readBodyBytes(c.req.raw, MAX_BODY_BYTES);
    const request = { headers, bytes, atMs: Date.now() };
    const { status, body } = await receiveMessage(deps, c.req.valid('param').id, request);
    return c.json(body, status);
  },
});

/** Routes of hooks, which receive messages of other systems. */
export const hookRoutes = routes(putHookRoute, listHooksRoute, getHookRoute, deleteHookRoute, receiveMessageRoute);
