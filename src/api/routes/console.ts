import { fileURLToPath } from 'node:url';
import { z } from '@hono/zod-openapi';
import { existsSync } from 'node:fs';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { ApiError, methodNotAllowed } from '../http/errors.ts';
import { packageVersion } from '../../process/own-code.ts';
import { routes, tagged } from '../middleware/route.ts';
import { jsonAnswer } from '../schemas/common.ts';
import type { ApiEnv } from '../deps.ts';

const operationsTag = tagged('operations');

const CONSOLE_EXAMPLE = {
  issuer: 'https://login.example',
  clientId: 'holdfast-console',
  scope: 'openid',
  parameters: { audience: 'holdfast' },
  claims: { tenant: 'tenant', roles: 'roles' },
  features: { localSignIn: false, forking: true },
  version: '0.1.0',
};

const ConsoleSchema = z
  .object({
    issuer: z
      .string()
      .nullable()
      .openapi({ description: 'Where people sign in; null: by a token or a local code only' }),
    clientId: z.string().nullable(),
    scope: z.string(),
    parameters: z
      .record(z.string(), z.string())
      .openapi({ description: 'Further parameters of the request for a code, such as `audience`' }),
    claims: z.object({ tenant: z.string(), roles: z.string() }),
    features: z.object({ localSignIn: z.boolean(), forking: z.boolean() }),
    version: z.string(),
  })
  .openapi('Console', { example: CONSOLE_EXAMPLE });

/** In characters. */
const MAX_CODE = 2_000;

const LocalCodeSchema = z
  .strictObject({ code: z.string().min(1).max(MAX_CODE) })
  .openapi('LocalCode', { example: { code: 'eyJhbGciOiJFUzI1NiJ9…' } });

const LocalTokensSchema = z
  .object({ tokens: z.array(z.string()).readonly() })
  .openapi('LocalTokens', { example: { tokens: ['eyJhbGciOiJFUzI1NiJ9…'] } });

const DEFAULT_SCOPE = 'openid';
const MAX_CODE_BYTES = 4_096;

const getConsoleConfigRoute = operationsTag.get('/console/config.json', 'public', {
  id: 'getConsoleConfig',
  summary: 'How people sign in at the console, and what there is',
  answers: { 200: jsonAnswer(ConsoleSchema, 'For whoever asks') },
  handle: ({ settings, localSignIn }) => {
    const { console, claims, forking } = settings;
    const answer = {
      issuer: console?.issuer ?? null,
      clientId: console?.clientId ?? null,
      scope: console?.scope ?? DEFAULT_SCOPE,
      parameters: { ...console?.parameters },
      claims,
      features: { localSignIn: localSignIn !== undefined, forking },
      version: packageVersion(),
    };
    return (c) => c.json(answer, 200, { 'cache-control': 'no-cache' });
  },
});

const signInLocallyRoute = operationsTag.post('/console/local-sign-in', 'public', {
  id: 'signInLocally',
  summary: "Exchanges the one-time code of a local stack's address for tokens",
  description: 'A code is good for a minute, once. In production there is none, and the answer is 404.',
  body: LocalCodeSchema,
  maxBytes: MAX_CODE_BYTES,
  key: 'none',
  audit: 'none',
  answers: { 200: jsonAnswer(LocalTokensSchema, "Tokens of the stack's people") },
  problems: [404],
  handle: (deps) => async (c) => {
    const tokens = await deps.localSignIn?.(c.req.valid('json').code);
    if (!tokens) throw new ApiError('NOT_FOUND', 'There is no such code: it has been used, or is older than a minute');
    return c.json({ tokens: [...tokens] }, 200, { 'cache-control': 'no-store' });
  },
});

/** Routes of the console besides its files. They are public, because the users have no token yet. */
export const consoleRoutes = routes(getConsoleConfigRoute, signInLocallyRoute);

/** The output folder of the console's build. Its relative path is the same from `src` and `dist`. */
const FOLDER = fileURLToPath(new URL('../../../console/dist', import.meta.url));
const PAGE = 'index.html';

/** File names contain a hash of the content, so the files can be cached for ever. */
const FOREVER = 'public, max-age=31536000, immutable';

const toFileOfConsole = (path: string): string => path.replace(/^\/console/, '');

/**
 * Serves the files of the console. Every other path below it returns the page, whose script selects what to display.
 */
export function consoleFileRoutes(): Hono<ApiEnv> {
  const router = new Hono<ApiEnv>();
  router.get('/console', (c) => c.redirect('/console/'));
  // This path must not return the page when its own route refuses the request.
  router.all('/console/local-sign-in', (c) => {
    throw methodNotAllowed(c.req.method, ['POST']);
  });
  if (!existsSync(FOLDER)) {
    router.get('/console/*', () => {
      throw new ApiError('NOT_FOUND', 'The console is not built: `npm run build:console` makes it');
    });
    return router;
  }
  router.get(
    '/console/assets/*',
    serveStatic<ApiEnv>({
      root: FOLDER,
      precompressed: true,
      rewriteRequestPath: toFileOfConsole,
      onFound: (_path, c) => c.header('cache-control', FOREVER),
    }),
    (c) => c.notFound(),
  );
  router.get('/console/icon.svg', serveStatic<ApiEnv>({ root: FOLDER, rewriteRequestPath: toFileOfConsole }));
  router.get(
    '/console/*',
    serveStatic<ApiEnv>({
      root: FOLDER,
      path: `/${PAGE}`,
      onFound: (_path, c) => c.header('cache-control', 'no-cache'),
    }),
  );
  return router;
}
