import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload, JWTVerifyGetKey } from 'jose';
import { permissionsOf } from '../../graph/definition/index.ts';
import type { Permission, Roles } from '../../graph/definition/index.ts';
import { lossesIn, toTimestampMs } from '../../graph/values/index.ts';
import { ApiError, unavailable } from './errors.ts';
import { isTooDeep } from './read-json.ts';
import { TENANT_NAME } from '../../process/tenant-name.ts';
import { RUN_PERMISSIONS, hasPermission } from '../../graph/run/index.ts';
import type { Principal } from '../../graph/run/index.ts';

/** A caller of the API: a subject of one tenant with its roles and permissions. */
export interface Caller {
  readonly tenantId: string;
  readonly sub: string;
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
  /** When the caller's token expires, in milliseconds since the epoch. */
  readonly expiresAtMs?: number;
}

export interface AuthSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The URL of the issuer's key set, or the key set itself. */
  readonly keys: URL | JSONWebKeySet;
  readonly claims: { readonly tenant: string; readonly roles: string };
}

/**
 * Verifies a bearer token and returns its caller.
 * @throws ApiError 401 for an invalid token, 503 when the issuer's keys are not available
 */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const CLOCK_TOLERANCE_S = 5;
const MAX_TOKEN_LENGTH = 16_384;
const MAX_SUBJECT_LENGTH = 255;

/** @param roles the permissions of each role; by default the built-in roles */
export function createAuthenticate({ issuer, audience, keys, claims }: AuthSettings, roles?: Roles): Authenticate {
  const keySet: JWTVerifyGetKey =
    keys instanceof URL ? createRemoteJWKSet(keys, { timeoutDuration: 5_000 }) : createLocalJWKSet(keys);
  const requiredClaims = ['exp', 'iat', 'sub', claims.tenant];
  return async (authorization) => {
    const token = readBearerToken(authorization);
    try {
      refuseRepeatedMembers(token);
      const { payload } = await jwtVerify(token, keySet, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims,
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      if ((payload.iat ?? 0) > Date.now() / 1_000 + CLOCK_TOLERANCE_S) throw badToken('it was issued in the future');
      return toCaller(payload, claims, roles);
    } catch (error) {
      throw toApiError(error);
    }
  };
}

function readBearerToken(authorization: string | undefined): string {
  const token = /^Bearer ([\w~+/.=-]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined || token.length > MAX_TOKEN_LENGTH) {
    throw new ApiError('UNAUTHENTICATED', 'A bearer token is needed: `Authorization: Bearer …`', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  return token;
}

/**
 * Refuses a token whose header or claims repeat a member, because other parsers may read another value (RFC 7519,
 * section 4). A token that is no JSON fails later, in the verification.
 */
function refuseRepeatedMembers(token: string): void {
  for (const part of token.split('.').slice(0, 2)) {
    const text = Buffer.from(part, 'base64url').toString('utf8');
    const value = parseJson(text);
    if (value === undefined) continue;
    if (isTooDeep(value)) throw badToken('it is nested too deeply');
    if (repeatsMember(text)) throw badToken('it names a member twice');
  }
}

function repeatsMember(json: string): boolean {
  for (const { kind } of lossesIn(json)) if (kind === 'repeated member') return true;
  return false;
}

/** @returns `undefined` for a text that is no JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toCaller(payload: JWTPayload, claims: AuthSettings['claims'], known: Roles | undefined): Caller {
  const tenantId = payload[claims.tenant];
  const { sub } = payload;
  if (typeof tenantId !== 'string' || !TENANT_NAME.test(tenantId)) throw badToken('it names no usable tenant');
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH)
    throw badToken('it names no usable subject');
  const claimed = payload[claims.roles];
  const roles = Array.isArray(claimed) ? claimed.filter((role) => typeof role === 'string') : [];
  const expiresAtMs = toTimestampMs((payload.exp ?? 0) * 1_000);
  return { tenantId, sub, roles, permissions: permissionsOf(roles, known), expiresAtMs };
}

/** An invalid token is the caller's error; missing issuer keys are a temporary failure. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
    return unavailable('The token issuer', error);
  if (error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC') return badToken(error.message, error);
  return unavailable('The token issuer', error);
}

function badToken(reason: string, cause?: unknown): ApiError {
  return new ApiError('UNAUTHENTICATED', `The token is not accepted: ${reason}`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    cause,
  });
}

/** Returns true if a caller may see data of a tenant: its own, or any as an administrator. */
export function maySeeTenant(caller: Caller, tenantId: string): boolean {
  return caller.tenantId === tenantId || caller.permissions.has('admin');
}

/** Each of these permissions is enough to read graphs. */
export const GRAPH_READERS: readonly Permission[] = ['run:read', 'graph:publish'];

/**
 * Maps a caller to the principal that a run receives. Runs know the built-in roles only, so the permissions are listed
 * in `may` where they differ from those of the built-in roles.
 */
export function toPrincipal({ sub, roles, permissions }: Caller): Principal {
  const person = { sub, roles: [...roles] };
  const may = RUN_PERMISSIONS.filter((permission) => permissions.has(permission));
  const isKnown = RUN_PERMISSIONS.every((one) => hasPermission(person, one) === permissions.has(one));
  return isKnown ? person : { ...person, may };
}

/** @throws ApiError 403 unless the caller has one of the permissions */
export function requirePermission({ permissions, roles }: Caller, ...anyOf: readonly Permission[]): void {
  if (anyOf.some((permission) => permissions.has(permission))) return;
  throw new ApiError(
    'FORBIDDEN',
    `This needs the permission ${anyOf.join(' or ')}; the token's roles (${roles.join(', ') || 'none'}) do not grant it`,
  );
}
