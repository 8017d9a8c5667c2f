import { createApp } from '../../../src/api/app.ts';
import { createAuthenticate } from '../../../src/api/http/authenticate.ts';
import { createCursors } from '../../../src/api/http/paging.ts';
import { createFingerprints } from '../../../src/api/http/fingerprints.ts';
import { toApiSettings } from '../../../src/config/api-settings.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { aCatalog } from '../builders/builders.ts';
import { anAbsentEngine } from '../doubles/absent-engine.ts';
import { graphJobsHere } from '../doubles/graph-jobs-here.ts';
import { openMemoryStore } from '../servers/memory-database.ts';

/** The API's routes as registered in its router, such as `GET /api/runs/{id}`, independent of its description. */
export async function readMountedRoutes(): Promise<readonly string[]> {
  const store = await openMemoryStore();
  const { routes } = createApp({
    store,
    engine: anAbsentEngine(),
    settings: toApiSettings(parseConfig('the test', {}), {}),
    toolWarnings: [],
    catalog: aCatalog(),
    graphJobs: graphJobsHere(aCatalog()),
    cursors: createCursors('secret'),
    fingerprints: createFingerprints('secret'),
    authenticate: createAuthenticate({
      issuer: 'none',
      audience: 'none',
      keys: { keys: [] },
      claims: { tenant: 'tenant', roles: 'roles' },
    }),
    logger: createLogger('silent'),
    shuttingDown: new AbortController().signal,
  });
  await store.close();
  const mounted = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  return [...new Set(mounted)];
}
