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
  /** What each role permits. */
  readonly roles: Roles;
  /** What a tenant may use up, as long as no administrator says something else. */
  quotaOf(tenantId: string): ConfiguredQuota;
  /** Allows runs to begin at checkpoints of others. */
  readonly forking: boolean;
  /** The most requests that may wait for runs at a time, in one process. */
  readonly waits: { readonly perTenant: number; readonly total: number };
  /** The most streams of events that may be open at a time, in one process. */
  readonly streams: { readonly perTenant: number; readonly total: number };
  /** Private hosts that webhooks may reach all the same, as exact `host:port`. */
  readonly webhooks: { readonly allow: readonly string[] };
  /** Resolves the secrets that hooks name. */
  readonly secrets: SecretResolver;
  /** How people sign in at the console; `null`: the configuration does not say it. */
  readonly console: ConsoleSettings | null;
  /** The names of the claims that the API reads. */
  readonly claims: { readonly tenant: string; readonly roles: string };
  /** Time for open work to finish at shutdown. */
  readonly shutdownGraceMs: number;
}

/** A client of the token issuer, without a secret. */
export interface ConsoleSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Further parameters of the request for a code. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Where the console may fetch tokens. */
  readonly origins: readonly string[];
}

/** Reads the API's settings from a configuration. @param environment has secrets, unless the configuration finds them */
export function toApiSettings(
  { retention, roles, tenants, forking, waits, streams, webhooks, secrets, auth, shutdownGrace }: Config,
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
