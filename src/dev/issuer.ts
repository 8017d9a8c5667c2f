import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, jwtVerify } from 'jose';
import type { JWK } from 'jose';
import type { LocalSignIn } from '../api/deps.ts';
import type { AuthSettings } from '../api/http/authenticate.ts';

const ISSUER = 'holdfast-local';
const AUDIENCE = 'holdfast';
const ALGORITHM = 'ES256';
const TOKEN_LIFE = '30d';
/** The audience of codes. No route of the API accepts it in a token. */
const CODE_AUDIENCE = 'holdfast-console';
const CODE_LIFE = '1m';

/** Signs tokens for local use. It refuses to run in production. */
export interface Issuer {
  readonly auth: AuthSettings;
  sign(caller: CallerClaims): Promise<string>;
  /** Signs a code that is valid for a minute, at the console only. */
  signCode(): Promise<string>;
  /** @returns the id and the expiry of a code; `null` if it is invalid or expired */
  readCode(code: string): Promise<SignInCode | null>;
}

/** The claims of a token that identify its caller. */
export interface CallerClaims {
  readonly sub: string;
  readonly tenant: string;
  readonly roles: readonly string[];
}

export interface SignInCode {
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * Opens the local issuer.
 * @param keyFile its private key (a JWK); created if it is missing
 * @throws Error with `NODE_ENV=production`
 */
export async function openIssuer(keyFile: string, environment: NodeJS.ProcessEnv): Promise<Issuer> {
  if (environment['NODE_ENV'] === 'production')
    throw new Error('The local token issuer does not run with NODE_ENV=production; configure `auth` instead');
  const jwk = existsSync(keyFile) ? await readSigningKey(keyFile) : await makeSigningKey(keyFile);
  const kid = jwk.kid ?? (await calculateJwkThumbprint(jwk));
  const algorithm = jwk.alg ?? ALGORITHM;
  const key = await importJWK(jwk, algorithm);
  const { d: _private, ...publicKey } = jwk;
  const verifyingKey = await importJWK(publicKey, algorithm);
  return {
    auth: {
      issuer: ISSUER,
      audience: AUDIENCE,
      keys: { keys: [{ ...publicKey, kid, alg: algorithm }] },
      claims: { tenant: 'tenant', roles: 'roles' },
    },
    sign: async ({ sub, tenant, roles }) =>
      await new SignJWT({ tenant, roles: [...roles] })
        .setProtectedHeader({ alg: algorithm, kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(sub)
        .setIssuedAt()
        .setExpirationTime(TOKEN_LIFE)
        .sign(key),
    signCode: async () =>
      await new SignJWT()
        .setProtectedHeader({ alg: algorithm, kid })
        .setIssuer(ISSUER)
        .setAudience(CODE_AUDIENCE)
        .setJti(randomUUID())
        .setExpirationTime(CODE_LIFE)
        .sign(key),
    readCode: async (code) => {
      const { payload } = await jwtVerify(code, verifyingKey, {
        issuer: ISSUER,
        audience: CODE_AUDIENCE,
        requiredClaims: ['exp', 'jti'],
      }).catch(() => ({ payload: null }));
      return payload && { id: payload.jti ?? '', expiresAtMs: (payload.exp ?? 0) * 1_000 };
    },
  };
}

async function readSigningKey(file: string): Promise<JWK> {
  const jwk: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!isPrivateKey(jwk)) throw new Error(`${file} holds no private JWK of an asymmetric key`);
  return jwk;
}

function isPrivateKey(value: unknown): value is JWK {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kty' in value &&
    typeof value.kty === 'string' &&
    'd' in value &&
    typeof value.d === 'string'
  );
}

async function makeSigningKey(file: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: ALGORITHM };
  await writeFile(file, `${JSON.stringify(jwk)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return jwk;
}

/** The callers for whom `npm start` signs tokens. */
export const CALLERS = {
  user: { sub: 'uma', tenant: 'demo', roles: ['user'] },
  approver: { sub: 'ada', tenant: 'demo', roles: ['approver'] },
  approver2: { sub: 'bob', tenant: 'demo', roles: ['approver'] },
  admin: { sub: 'root', tenant: 'demo', roles: ['admin'] },
  otherTenantUser: { sub: 'olaf', tenant: 'other', roles: ['user'] },
} as const satisfies Readonly<Record<string, CallerClaims>>;

export type CallerTokens = Readonly<Record<keyof typeof CALLERS, string>>;

export async function signTokens(issuer: Issuer): Promise<CallerTokens> {
  const { user, approver, approver2, admin, otherTenantUser } = CALLERS;
  return {
    user: await issuer.sign(user),
    approver: await issuer.sign(approver),
    approver2: await issuer.sign(approver2),
    admin: await issuer.sign(admin),
    otherTenantUser: await issuer.sign(otherTenantUser),
  };
}

/** The users of the console; the first one is the default. */
const CONSOLE_USERS = [CALLERS.admin, CALLERS.approver, CALLERS.approver2, CALLERS.user] as const;

/** Opens the exchange of one-time codes for tokens of the local users. This process remembers which codes were used. */
export function openLocalSignIn(issuer: Issuer, now: () => number = Date.now): LocalSignIn {
  const usedUntilMs = new Map<string, number>();
  return async (text) => {
    const code = await issuer.readCode(text);
    for (const [id, untilMs] of usedUntilMs) if (untilMs <= now()) usedUntilMs.delete(id);
    if (!code || usedUntilMs.has(code.id)) return null;
    usedUntilMs.set(code.id, code.expiresAtMs);
    return await Promise.all(CONSOLE_USERS.map(async (person) => await issuer.sign(person)));
  };
}

/** The address of the console with a new code in its fragment, which browsers do not send to servers. */
export async function consoleAddress(baseUrl: string, issuer: Issuer): Promise<string> {
  return `${baseUrl}/console/#code=${await issuer.signCode()}`;
}
