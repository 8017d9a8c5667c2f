import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { ApiEnv } from '../../deps.ts';
import { ApiError, methodNotAllowed } from '../../http/errors.ts';

/** What `npm run build` makes of `console`: as far from this file in `src` as in `dist`. */
const FOLDER = fileURLToPath(new URL('../../../../console/dist', import.meta.url));
const PAGE = 'index.html';

/** The names of these files have a hash of their content. */
const FOREVER = 'public, max-age=31536000, immutable';

const toFile = (path: string): string => path.replace(/^\/console/, '');

/** Serves the files of the console. Each of its addresses that is no file is its page, which finds out what to show. */
export function consoleFileRoutes(): Hono<ApiEnv> {
  const router = new Hono<ApiEnv>();
  router.get('/console', (c) => c.redirect('/console/'));
  // Whatever its own route does not take is no page.
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
      rewriteRequestPath: toFile,
      onFound: (_path, c) => c.header('cache-control', FOREVER),
    }),
    (c) => c.notFound(),
  );
  router.get('/console/icon.svg', serveStatic<ApiEnv>({ root: FOLDER, rewriteRequestPath: toFile }));
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
