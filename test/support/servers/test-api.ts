import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../src/api/app.ts';
import type { ApiDeps } from '../../../src/api/deps.ts';
import { createAuthenticate } from '../../../src/api/http/authenticate.ts';
import { createCursors } from '../../../src/api/http/paging.ts';
import { createFingerprints } from '../../../src/api/http/fingerprints.ts';
import { toApiSettings } from '../../../src/config/api-settings.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { openEmbedder } from '../../../src/config/open-embedder.ts';
import { toCatalog } from '../../../src/config/to-catalog.ts';
import { openIssuer, signTokens } from '../../../src/dev/issuer.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { withMeaning } from '../../../src/store/memory/with-meaning.ts';
import { anAbsentEngine } from '../doubles/absent-engine.ts';
import { graphJobsHere } from '../doubles/graph-jobs-here.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { openMemoryStore } from './memory-database.ts';
import type { MemoryStore } from './memory-database.ts';

/** The API alone: without a port, with a database in memory, and without Temporal. */
export interface TestApi {
  as(caller: keyof CallerTokens): ApiClient;
  /** A client of the tenant `demo` with one role, which the configuration may define. */
  asRole(role: string): Promise<ApiClient>;
  /** A client without a token. */
  readonly stranger: ApiClient;
  readonly tokens: CallerTokens;
  readonly store: MemoryStore;
  /** Like `fetch`. @param path may have a query */
  request(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

const BASE_URL = 'http://127.0.0.1';

/** @param settings of its configuration @param over replacements of its parts */
export async function startTestApi(
  settings: ConfigInput = {},
  over: Partial<Pick<ApiDeps, 'authenticate' | 'engine' | 'shuttingDown' | 'streaming'>> = {},
): Promise<TestApi> {
  const config = parseConfig('the test', settings);
  const store = withMeaning(await openMemoryStore(), openEmbedder(config, process.env), () => undefined);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const issuer = await openIssuer(join(folder, 'issuer.json'), {});
  await rm(folder, { recursive: true });
  const tokens = await signTokens(issuer);
  const catalog = toCatalog(config);
  const app = createApp({
    store,
    engine: anAbsentEngine(),
    catalog,
    toolWarnings: [],
    graphJobs: graphJobsHere(catalog),
    settings: toApiSettings(config, process.env),
    authenticate: createAuthenticate(issuer.auth, config.roles),
    cursors: createCursors('secret'),
    fingerprints: createFingerprints('secret'),
    logger: createLogger('silent'),
    shuttingDown: new AbortController().signal,
    ...over,
  });
  const ask = async (url: URL, init?: RequestInit): Promise<Response> => await app.request(url.href, init);
  return {
    as: (caller) => createApiClient(BASE_URL, tokens[caller], ask),
    asRole: async (role) =>
      createApiClient(BASE_URL, await issuer.sign({ sub: role, tenant: 'demo', roles: [role] }), ask),
    stranger: createApiClient(BASE_URL, null, ask),
    tokens,
    store,
    request: async (path, init) => await ask(new URL(path, BASE_URL), init),
    stop: () => store.close(),
  };
}
