import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PERMISSIONS } from '../../../../src/graph/definition/index.ts';
import type { Permission } from '../../../../src/graph/definition/index.ts';
import type { ApiAnswer, ApiClient } from '../../../support/readers/api-client.ts';
import { describedOperations } from '../../../support/readers/described-operations.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { readMountedRoutes } from '../../../support/readers/mounted-routes.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/** All public routes: probes, pages, sign-in, and signed messages. */
const PUBLIC: ReadonlySet<string> = new Set([
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /schemas/graph-definition.json',
  'GET /',
  'GET /favicon.ico',
  'GET /docs',
  'GET /docs/start.js',
  'GET /docs/swagger-ui.css',
  'GET /docs/swagger-ui-bundle.js',
  'GET /console',
  'GET /console/*',
  'GET /console/assets/*',
  'GET /console/icon.svg',
  'GET /console/config.json',
  'POST /console/local-sign-in',
  'POST /api/hooks/{id}',
]);

const PROTECTED = (await readMountedRoutes()).filter((route) => !PUBLIC.has(route)).toSorted();

const onlyRole = (permission: Permission): string => `only ${permission}`;
const roleWithout = (...[one, other = one]: readonly string[]): string => `without ${one} and ${other}`;

/** A role for each single permission, and roles with all permissions but one or two. */
const ROLES = Object.fromEntries(
  PERMISSIONS.flatMap((one) => [
    [onlyRole(one), [one]],
    ...PERMISSIONS.map((other) => [
      roleWithout(one, other),
      PERMISSIONS.filter((permission) => permission !== one && permission !== other),
    ]),
  ]),
);

let api: TestApi;
let needed: ReadonlyMap<string, readonly Permission[]>;
beforeAll(async () => {
  api = await startTestApi({ roles: ROLES });
  needed = await readNeeded(api.stranger);
});
afterAll(async () => {
  await api.stop();
});

/** The permissions of which each route requires one, according to the description. */
async function readNeeded(client: ApiClient): Promise<ReadonlyMap<string, readonly Permission[]>> {
  const { body } = await client.get('/openapi.json');
  return new Map(
    describedOperations(body).map(({ method, path, described }) => [
      `${method.toUpperCase()} ${path}`,
      listAt(described, '/security').flatMap((scheme) => {
        // An empty scheme: a stack on one machine asks for no token.
        if (at(scheme, '/bearer') === undefined) return [];
        const name = textAt(scheme, '/bearer/0');
        const permission = PERMISSIONS.find((one) => one === name);
        if (permission === undefined) throw new Error(`"${name}" is no permission`);
        return permission;
      }),
    ]),
  );
}

/** Sends a request without a body. No stream begins, because the `Last-Event-ID` is invalid. */
async function ask(client: ApiClient, route: string): Promise<ApiAnswer> {
  const [method = '', path = ''] = route.split(' ');
  return await client.send(path.replaceAll(/\{\w+\}/g, '1'), { method, headers: { 'last-event-id': 'none' } });
}

describe('the access to a route', () => {
  test('many API routes require a token', () => {
    expect(PROTECTED.length).toBeGreaterThan(80);
  });

  test.each(PROTECTED)('the route %s refuses a caller without a token', async (route) => {
    expect(await ask(api.stranger, route)).toMatchObject(aProblem(401, 'UNAUTHENTICATED'));
  });

  test.each(PROTECTED)('the route %s refuses a caller without its permission', async (route) => {
    const permissions = needed.get(route) ?? [];
    expect([1, 2]).toContain(permissions.length);
    expect(await ask(await api.asRole(roleWithout(...permissions)), route)).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });

  test.each(PROTECTED)('the route %s accepts a caller with only one of its permissions', async (route) => {
    for (const permission of needed.get(route) ?? []) {
      const { status } = await ask(await api.asRole(onlyRole(permission)), route);
      expect([401, 403]).not.toContain(status);
    }
  });

  test('a route that is described without a permission is public', () => {
    const open = [...needed].filter(([, permissions]) => permissions.length === 0).map(([route]) => route);
    expect(open.filter((route) => !PUBLIC.has(route))).toEqual([]);
  });
});
