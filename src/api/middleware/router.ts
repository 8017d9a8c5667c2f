import { OpenAPIHono } from '@hono/zod-openapi';
import { toPointer } from '../../graph/values/index.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { ApiIssue } from '../http/errors.ts';

/** A router whose routes check their requests; each fault has a pointer in the problem document. */
function createRouter(): OpenAPIHono<ApiEnv> {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success)
        throw new ApiError('INVALID_REQUEST', describe(result.target), {
          issues: result.error.issues.flatMap(toIssues),
        });
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
  return (keys ?? []).map((key) => ({ path: toPointer([...at, key]), message: `There is no field "${key}" here` }));
}
