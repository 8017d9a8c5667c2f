import { OpenAPIHono } from '@hono/zod-openapi';
import type { RouteConfig, RouteHandler, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Permission } from '../../graph/definition/index.ts';
import { toPointer } from '../../graph/values/index.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError, methodNotAllowed } from '../http/errors.ts';
import type { ApiIssue } from '../http/errors.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, problemAnswers } from '../schemas/common.ts';
import type { ProblemStatus } from '../schemas/common.ts';
import { audited } from './audited.ts';
import type { Auditing } from './audited.ts';
import { authorized, TICKET_PERMISSION, ticketed } from './authorized.ts';
import { jsonBody } from './bodies.ts';
import { idempotent } from './idempotent.ts';
import type { ReadFingerprint } from './idempotent.ts';

/** The groups of routes, in the order of the API's description. */
export const TAGS = {
  graphs: 'Definitions: publish, validate, read and draw them.',
  runs: 'Start runs, and read what they are at and have done.',
  controls: 'Steer runs, and settle nodes that wait for an intervention.',
  approvals: 'The inbox, and decisions of people.',
  state: 'Channel values: read and correct them; fork, replay and compare runs.',
  threads: 'Conversations: runs that go on where the one before has stopped.',
  chat: "Graphs as the other side of the AI SDK's `useChat`.",
  tools: 'What graphs may call.',
  memory: 'What is remembered beyond runs; no checkpoint has it.',
  webhooks: 'Addresses that are told of events, and what became of it.',
  files: 'Stored as they are, for runs and people.',
  schedules: 'Runs that begin at times of their own.',
  hooks: 'Signed messages of other systems that start runs or are events of them.',
  operations: 'For probes and monitoring; they need no token.',
  admin: 'For administrators of the installation: runs of all tenants, what these may use up, switches, the audit.',
};

/**
 * Who may send a request. A list means that one of the permissions is enough. `ticket`: a stream ticket is accepted
 * instead of a token. `signature`: the handler verifies the signature of the message. `monitoring`: an administrator, or
 * anybody where only this machine reaches the API. `public`: no check.
 */
export type Access = Permission | readonly Permission[] | 'ticket' | 'signature' | 'monitoring' | 'public';

type Parameters = z.ZodObject | z.ZodPipe;

/** The declaration of a route, from which its description and its middleware are derived. */
interface RouteTerms {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Parameters;
  /** The query parameters; by default, none are allowed. */
  readonly query?: Parameters;
  /** Headers besides `Idempotency-Key`. */
  readonly headers?: z.ZodObject;
  /** The schema of a JSON body. */
  readonly body?: z.ZodType;
  /** The limit of a JSON body in bytes; by default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * By default, a missing body is treated as `{}`. A schema that accepts any object can't refuse that, so the route
   * must.
   */
  readonly absentBody?: 'is-refused';
  /** The description of a body that is not JSON, which `before` or the handler reads. */
  readonly otherBody?: NonNullable<NonNullable<RouteConfig['request']>['body']>;
  /**
   * How the route handles an `Idempotency-Key`. By default, routes with a JSON body return the first answer again; a
   * function computes the fingerprint of another kind of body. `by-handler`: the handler reads the key.
   */
  readonly key?: 'none' | 'by-handler' | ReadFingerprint;
  /** Absent for routes that only read. */
  readonly audit?: Auditing;
  readonly answers: RouteConfig['responses'];
  /** Error statuses besides those that every route, body, key or cursor has. `none`: no error is described. */
  readonly problems?: readonly ProblemStatus[] | 'none';
  /** Middleware between the permission check and the body. */
  readonly before?: (deps: ApiDeps) => readonly MiddlewareHandler<ApiEnv>[];
  readonly handle: (deps: ApiDeps) => unknown;
}

interface TypedTerms<
  Params extends Parameters,
  Query extends Parameters,
  Body extends z.ZodType,
  Answers extends RouteConfig['responses'],
> extends RouteTerms {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answers: Answers;
  /** Creates the handler, once for each app. */
  readonly handle: (deps: ApiDeps) => RouteHandler<
    {
      method: 'get';
      path: string;
      request: {
        params: Params;
        query: Query;
        body: { content: { 'application/json': { schema: Body } } };
      };
      responses: Answers;
    },
    ApiEnv
  >;
}

/**
 * The additional declaration of a route that changes something. Without an idempotency key, a request may be executed
 * twice, so it must leave no audit entry.
 */
type Change = { readonly audit: Auditing; readonly key?: 'by-handler' | ReadFingerprint } | { readonly audit: 'none' };

/**
 * A route that can be added to a router. Only `tagged` and `onlyPost` create routes, so that every route declares its
 * access.
 */
export interface Route {
  readonly addTo: (router: OpenAPIHono<ApiEnv>, deps: ApiDeps) => void;
}

/** Returns functions that declare the routes of a group, one for each HTTP method. */
export function tagged(tag: keyof typeof TAGS) {
  const maker =
    <Extra>(method: RouteConfig['method']) =>
    <
      Answers extends RouteConfig['responses'],
      Params extends Parameters = z.ZodObject,
      Query extends Parameters = z.ZodObject,
      Body extends z.ZodType = z.ZodType,
    >(
      path: string,
      access: Access,
      terms: TypedTerms<Params, Query, Body, Answers> & Extra,
    ): Route => ({
      addTo(router, deps) {
        const route = {
          method,
          path,
          tags: [tag],
          ...describeRoute(access, terms),
          middleware: middlewareOf(access, terms, deps),
        };
        router.openapiRoutes([{ route, handler: terms.handle(deps) }]);
      },
    });
  return {
    get: maker<object>('get'),
    post: maker<Change>('post'),
    put: maker<Change>('put'),
    patch: maker<Change>('patch'),
    delete: maker<Change>('delete'),
  };
}

/** Refuses all methods but POST at a path that would otherwise match the parameter of another route. */
export function onlyPost(path: string): Route {
  return {
    addTo(router) {
      router.use(path, async (c, next) => {
        if (c.req.method !== 'POST') throw methodNotAllowed(c.req.method, ['POST']);
        await next();
      });
    },
  };
}

/** Creates a router of several routes. */
export function routes(...all: readonly Route[]): (deps: ApiDeps) => OpenAPIHono<ApiEnv> {
  return (deps) => {
    const router = createRouter();
    for (const { addTo } of all) addTo(router, deps);
    return router;
  };
}

/**
 * Builds the OpenAPI description of a route. The permissions are listed as roles of the security scheme, of which one
 * is enough.
 */
function describeRoute(access: Access, terms: RouteTerms) {
  const { id, summary, description, params, query = NoQuery, body, otherBody, answers } = terms;
  const headers = hasKey(terms) ? KeyHeader.extend(terms.headers?.shape ?? {}) : terms.headers;
  const isRequired = terms.absentBody === 'is-refused' || !body?.safeParse({}).success;
  const anyBody = body ? { required: isRequired, content: { 'application/json': { schema: body } } } : otherBody;
  return {
    operationId: id,
    security: [
      ...permissionsOf(access).map((permission) => ({ bearer: [permission] })),
      // A stack on one machine asks for no token.
      ...(access === 'monitoring' ? [{}] : []),
    ],
    summary,
    ...(description !== undefined && { description }),
    request: { query, ...(params && { params }), ...(headers && { headers }), ...(anyBody && { body: anyBody }) },
    responses: { ...answers, ...problemsOf(terms) },
  };
}

function permissionsOf(access: Access): readonly Permission[] {
  if (typeof access !== 'string') return access;
  if (access === 'ticket') return [TICKET_PERMISSION];
  if (access === 'monitoring') return ['admin'];
  return access === 'public' || access === 'signature' ? [] : [access];
}

function hasKey({ key, body }: RouteTerms): boolean {
  return key === undefined ? body !== undefined : key !== 'none';
}

function problemsOf({ problems: own = [], ...terms }: RouteTerms) {
  if (own === 'none') return {};
  const { query, body, otherBody } = terms;
  const hasBody = body !== undefined || otherBody !== undefined;
  const isPage = query !== undefined && 'shape' in query && 'cursor' in query.shape;
  return problemAnswers(
    ...(hasBody ? ([400, 413, 415] as const) : []),
    ...(hasKey(terms) ? ([400, 409] as const) : []),
    ...(isPage ? ([400] as const) : []),
    ...own,
  );
}

/** Builds the middleware that runs before validation: audit, authentication, limits, body, idempotency key. */
function middlewareOf(access: Access, terms: RouteTerms, deps: ApiDeps): MiddlewareHandler<ApiEnv>[] {
  const { body, maxBytes = MAX_BODY_BYTES, absentBody, key, before, audit = 'none' } = terms;
  const isKept = hasKey(terms) && key !== 'by-handler';
  return [
    ...(audit === 'none' ? [] : [audited(deps, audit)]),
    ...accessCheck(access, deps),
    ...(before?.(deps) ?? []),
    ...(body ? [jsonBody(maxBytes, absentBody)] : []),
    ...(isKept ? [idempotent(deps, typeof key === 'function' ? key : undefined)] : []),
  ];
}

function accessCheck(access: Access, deps: ApiDeps): MiddlewareHandler<ApiEnv>[] {
  if (access === 'ticket') return [ticketed(deps)];
  if (access === 'monitoring' && deps.hasOpenMetrics === true) return [];
  const permissions = permissionsOf(access);
  return permissions.length === 0 ? [] : [authorized(deps, ...permissions)];
}

/** Creates a router that validates requests; each issue has a pointer in the problem document. */
function createRouter(): OpenAPIHono<ApiEnv> {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result, c) => {
      const issues = result.success ? [] : result.error.issues.flatMap(toIssues);
      if (result.target === 'query') issues.push(...lostParameters(c.req.url));
      if (issues.length > 0) throw new ApiError('INVALID_REQUEST', faultIn(result.target), { issues });
    },
  });
}

/**
 * Hono reads a query into a plain object, and thereby loses parameters that are named like the object's own methods.
 */
function lostParameters(url: string): ApiIssue[] {
  return [...new URL(url).searchParams.keys()].filter((name) => name in Object.prototype).map(noField);
}

function noField(name: string): ApiIssue {
  return { path: toPointer([name]), message: `There is no field "${name}" here` };
}

function faultIn(target: string): string {
  return target === 'json'
    ? 'The body is not what this route takes'
    : `The ${target} parameters are not what this route takes`;
}

interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function toIssues({ code, path, message, keys }: SchemaIssue): ApiIssue[] {
  const at = path.map(String);
  if (code !== 'unrecognized_keys') return [{ path: toPointer(at), message }];
  return (keys ?? []).map((key) => ({ ...noField(key), path: toPointer([...at, key]) }));
}
