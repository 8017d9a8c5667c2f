import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompactSign, importJWK } from 'jose';
import type { CompactJWSHeaderParameters, CryptoKey, JWK } from 'jose';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { openIssuer } from '../../../src/dev/issuer.ts';
import { startStack } from '../../../src/dev/stack.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { reserveServers } from './reserve-servers.ts';
import { graphJobsHere } from '../doubles/graph-jobs-here.ts';

/** A stack whose tokens the test signs itself, valid and invalid ones. */
export interface IssuingStack {
  readonly baseUrl: string;
  /** The issuer's published key. */
  readonly publicKey: JWK;
  as(principal: Principal): Promise<ApiClient>;
  /** Signs a token like the issuer, with the given changes; a value of `undefined` removes a claim. */
  forge(forgery?: TokenChanges): Promise<string>;
  stop(): Promise<void>;
}

type Principal = Parameters<Awaited<ReturnType<typeof openIssuer>>['sign']>[0];

export interface TokenChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | Uint8Array;
}

/** @param settings of its configuration */
export async function startIssuingStack(settings: ConfigInput = {}): Promise<IssuingStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const issuerJwk = join(dataDir, 'issuer.json');
  const config = join(dataDir, 'holdfast.config.json');
  await writeFile(config, JSON.stringify(settings));
  const issuer = await openIssuer(issuerJwk, {});
  const { issuer: iss, audience: aud, keys } = issuer.auth;
  const [publicKey] = keys instanceof URL ? [] : keys.keys;
  if (!publicKey) throw new TypeError('The local issuer publishes its key');
  const own = await importJWK(parseKey(await readFile(issuerJwk, 'utf8')), publicKey.alg);
  const stack = await startStack({
    config,
    dataDir,
    issuerJwk,
    port: 0,
    temporalPort: 0,
    uiPort: 0,
    environment: { ...process.env, ...(await reserveServers()) },
    graphJobs: graphJobsHere,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  return {
    baseUrl: stack.baseUrl,
    publicKey,
    as: async (principal) => createApiClient(stack.baseUrl, await issuer.sign(principal)),
    async forge({ header, claims, key = own } = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss, aud, sub: 'eve', tenant: 'demo', roles: ['user'], iat: now, exp: now + 600 };
      return await sign({ alg: publicKey.alg, kid: publicKey.kid, ...header }, { ...usual, ...claims }, key);
    },
    async stop() {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function sign(
  header: Readonly<Record<string, unknown>>,
  claims: object,
  key: CryptoKey | Uint8Array,
): Promise<string> {
  const { crit = [] } = header;
  const known = Object.fromEntries(Array.isArray(crit) ? crit.map((name) => [String(name), true]) : []);
  const payload = new TextEncoder().encode(JSON.stringify(claims));
  return await new CompactSign(payload).setProtectedHeader(toHeader(header)).sign(key, { crit: known });
}

function toHeader({ alg, ...rest }: Readonly<Record<string, unknown>>): CompactJWSHeaderParameters {
  return { ...rest, alg: String(alg) };
}

function parseKey(text: string): JWK {
  const key: unknown = JSON.parse(text);
  if (typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string')
    return { ...key, kty: key.kty };
  throw new TypeError('This is no key');
}
