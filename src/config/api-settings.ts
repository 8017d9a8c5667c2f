import type { Roles } from '../graph/definition/index.ts';
import { parseDuration, toMs } from '../graph/values/index.ts';
import { createEnvironmentSecrets } from '../activities/secrets.ts';
import type { SecretResolver } from '../activities/secrets.ts';
import type { Config } from './load-config.ts';
import { quotaOf } from './tenants.ts';
import type { ConfiguredQuota } from './tenants.ts';

/** Settings of an installation that concern only the API. */
export interface ApiSettings {
  /** Ages at which ended runs and checkpoints are deleted, in milliseconds; `null` keeps them. */
  readonly retention: {
    readonly runsMs: number | null;
    readonly checkpointsMs: number | null;
    /** The age of audit entries that are pruned. */
    readonly auditMs: number | null;
  };
  /** The permissions of each role. */
  readonly roles: Roles;
  /** The quota of a tenant, unless an administrator has set another one. */
  quotaOf(tenantId: string): ConfiguredQuota;
  /** Allows runs to start at checkpoints of other runs. */
  readonly forking: boolean;
  /** The maximum number of requests that wait for runs, per process. */
  readonly waits: { readonly perTenant: number; readonly total: number };
  /** The maximum number of open event streams, per process. */
  readonly streams: { readonly perTenant: number; readonly total: number };
  /** The pages of other origins that may use the API; `null` for none. */
  readonly cors: CorsSettings | null;
  /** Private hosts that webhooks may reach, as exact `host:port`. */
  readonly webhooks: { readonly allow: readonly string[] };
  /** Resolves the secrets of hooks. */
  readonly secrets: SecretResolver;
  /** The sign-in of the console; `null` if it is not configured. */
  readonly console: ConsoleSettings | null;
  /** The names of the claims that the API reads. */
  readonly claims: { readonly tenant: string; readonly roles: string };
  /** Time for open work to finish at shutdown. */
  readonly shutdownGraceMs: number;
}

/** Pages of other origins that may send requests and read responses. */
export interface CorsSettings {
  /** As browsers send them in `Origin`. */
  readonly origins: readonly string[];
  /** How long browsers remember the answer to a preflight request. */
  readonly maxAgeMs: number;
}

/** A client of the token issuer, without a secret. */
export interface ConsoleSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Additional parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The origins from which the console may fetch tokens. */
  readonly origins: readonly string[];
}

/**
 * Reads the API's settings from a configuration.
 * @param environment the source of secrets, unless the configuration has its own
 */
export function toApiSettings(
  { retention, roles, tenants, forking, waits, streams, http, webhooks, secrets, auth, shutdownGrace }: Config,
  environment: Readonly<Record<string, string | undefined>>,
): ApiSettings {
  const { runs, checkpoints, audit } = retention;
  return {
    retention: { runsMs: toAgeMs(runs), checkpointsMs: toAgeMs(checkpoints), auditMs: toAgeMs(audit) },
    roles,
    quotaOf: (tenantId) => quotaOf(tenants, tenantId),
    forking,
    waits,
    streams,
    cors: http.cors ? { origins: http.cors.origins, maxAgeMs: toMs(http.cors.maxAge) } : null,
    webhooks,
    secrets: secrets ?? createEnvironmentSecrets(environment),
    console: toConsoleSettings(auth),
    claims: auth?.claims ?? { tenant: 'tenant', roles: 'roles' },
    shutdownGraceMs: toMs(shutdownGrace),
  };
}

function toConsoleSettings(auth: Config['auth']): ConsoleSettings | null {
  if (auth?.console === undefined) return null;
  const { issuer, console } = auth;
  return { issuer, ...console, origins: [new URL(issuer).origin, ...console.origins] };
}

function toAgeMs(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}
