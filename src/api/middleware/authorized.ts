import { createMiddleware } from 'hono/factory';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Permission } from '../../graph/definition/index.ts';
import type { Caller } from '../http/authenticate.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { ApiIssue } from '../http/errors.ts';
import { toPointer } from '../../graph/values/index.ts';

/**
 * Middleware: a request passes if its caller has one of the permissions. It also has the audit record a deletion
 * (`recordIntent`): every route comes through here, and the entry names the caller, who is known from here on.
 */
export function authorized({ authenticate }: Pick<ApiDeps, 'authenticate'>, ...anyOf: readonly Permission[]) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const caller = await authenticate(c.req.header('authorization'));
    requirePermission(caller, ...anyOf);
    c.set('caller', caller);
    await c.get('recordIntent')?.();
    await next();
  });
}

/** What a route says of the permissions that `authorized` asks for: OpenAPI takes them as roles, of which one is enough. */
export function needs(...anyOf: readonly Permission[]): { readonly bearer: Permission[] }[] {
  return anyOf.map((permission) => ({ bearer: [permission] }));
}

/** @throws ApiError 403 unless the caller has one of the permissions */
export function requirePermission({ permissions, roles }: Caller, ...anyOf: readonly Permission[]): void {
  if (anyOf.some((permission) => permissions.has(permission))) return;
  throw new ApiError(
    'FORBIDDEN',
    `This needs the permission ${anyOf.join(' or ')}; the token's roles (${roles.join(', ') || 'none'}) do not grant it`,
  );
}

/** A router whose routes check their requests; each fault has a pointer in the problem document. */
function createRouter(): OpenAPIHono<ApiEnv> {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result, c) => {
      const issues = result.success ? [] : result.error.issues.flatMap(toIssues);
      if (result.target === 'query') issues.push(...lostParameters(c.req.url));
      if (issues.length > 0) throw new ApiError('INVALID_REQUEST', describe(result.target), { issues });
    },
  });
}

export type AddRoute = (router: OpenAPIHono<ApiEnv>, deps: ApiDeps) => void;

/** Makes a router of some routes. */
export function routes(...all: readonly AddRoute[]): (deps: ApiDeps) => OpenAPIHono<ApiEnv> {
  return (deps) => {
    const router = createRouter();
    for (const add of all) add(router, deps);
    return router;
  };
}

/** Hono reads a query into a plain object, and so loses parameters with the names of that object's own methods. */
function lostParameters(url: string): ApiIssue[] {
  return [...new URL(url).searchParams.keys()].filter((name) => name in Object.prototype).map(noField);
}

function noField(name: string): ApiIssue {
  return { path: toPointer([name]), message: `There is no field "${name}" here` };
}

function describe(target: string): string {
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
