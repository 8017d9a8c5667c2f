import { findMissingSecrets } from '../../config/missing-secrets.ts';
import { databaseChecks } from './database-checks.ts';
import { graphsCheck, localChecks } from './local-checks.ts';
import { checkClock } from './doctor-check.ts';
import type { DoctorCheck, Installation } from './doctor-check.ts';
import { temporalChecks } from './temporal-checks.ts';
import { addMcpTools } from '../../config/connect-mcp-servers.ts';
import { loadConfig } from '../../config/load-config.ts';
import { formatCount } from '../../graph/values/index.ts';
import type { Config } from '../../config/load-config.ts';
import { setVariables } from '../../process/process-options.ts';
import { z } from 'zod';

/** The checks of an installation: of servers that the environment names, and of what `dev` uses in place of others. */
export function doctorChecks(installation: Installation): readonly DoctorCheck[] {
  const { DATABASE_URL: database, TEMPORAL_ADDRESS, TEMPORAL_PROFILE } = setVariables(installation.environment);
  const isElsewhere = Boolean(TEMPORAL_ADDRESS ?? TEMPORAL_PROFILE);
  return [
    { name: 'Node', find: findNodeVersion, remedy: 'install Node 20.20 or later' },
    configurationCheck(installation.configFile),
    secretsCheck(installation),
    serverCheck(installation),
    graphsCheck(installation),
    ...localChecks(installation, { hasDatabase: Boolean(database), hasTemporal: isElsewhere }),
    ...(database ? [...databaseChecks(database, installation.configFile), ...tokenChecks(installation)] : []),
    ...(isElsewhere ? temporalChecks(installation) : []),
  ];
}

async function findNodeVersion(): Promise<string> {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 20)) throw new Error(`${node} is too old`);
  return node;
}

function configurationCheck(file: string | undefined): DoctorCheck {
  return {
    name: 'configuration',
    remedy: 'holdfast init makes a project with one; docs/project.md says how it is written',
    async find() {
      const { tools, models, roles, graphs } = await loadConfig(file);
      const counts = `${formatCount(tools.length, 'tool')}, ${formatCount(Object.keys(models).length, 'model')}, roles ${[...roles.keys()].join(', ')}`;
      return `${file}: ${counts}${graphs === undefined ? '' : `, graphs in ${graphs.folder}`}`;
    },
  };
}

function secretsCheck({ configFile, environment }: Installation): DoctorCheck {
  return {
    name: 'secrets',
    remedy: 'mend the configuration first',
    async find() {
      const missing = findMissingSecrets(await loadConfig(configFile), environment);
      // A process of the API does not need the secrets of tools and models.
      return { found: `${missing.length === 0 ? 'none' : missing.length} missing here`, warnings: missing };
    },
  };
}

function serverCheck({ configFile, environment }: Installation): DoctorCheck {
  return {
    name: 'MCP servers',
    remedy: 'holdfast mcp lists the tools of each server; "tools" chooses some, "optional" starts without a server',
    async find() {
      const loaded = await loadConfig(configFile);
      const servers = Object.keys(loaded.mcpServers).length;
      if (servers === 0) return 'none is configured';
      const { config, warnings } = await addMcpTools(loaded, { environment, report: () => undefined });
      const tools = config.tools.length - loaded.tools.length;
      return { found: `${formatCount(servers, 'server')} with ${formatCount(tools, 'tool')}`, warnings };
    },
  };
}

/** The checks of the tokens that an API process signs and accepts. */
function tokenChecks({ environment, configFile }: Installation): readonly DoctorCheck[] {
  return [secretCheck(environment), keysCheck(configFile)];
}

function secretCheck({ HOLDFAST_CURSOR_SECRET: secret }: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: 'cursor secret',
    remedy: 'set HOLDFAST_CURSOR_SECRET to a long random text, the same for every API process: openssl rand -base64 32',
    async find() {
      if (!secret) throw new Error('HOLDFAST_CURSOR_SECRET is not set');
      return 'set';
    },
  };
}

const KeySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

const TOKEN_CHECK_WITHIN_MS = 5_000;

function keysCheck(file: string | undefined): DoctorCheck {
  return {
    name: 'token keys',
    remedy:
      'set auth in the configuration: issuer, audience and jwksUrl of your OpenID Connect provider; set the clocks by NTP',
    async find() {
      const { auth }: Pick<Config, 'auth'> = await loadConfig(file);
      if (!auth) throw new Error('The configuration has no auth section');
      const response = await fetch(auth.jwksUrl, { signal: AbortSignal.timeout(TOKEN_CHECK_WITHIN_MS) });
      if (!response.ok) throw new Error(`${auth.jwksUrl} answers ${response.status}`);
      const { keys } = KeySetSchema.parse(await response.json());
      const sent = responseTime(response);
      if (sent) checkClock("its issuer's", sent);
      return `${keys.length} at ${auth.jwksUrl}`;
    },
  };
}

/** The time at which a server sent its response, corrected for caches (RFC 9111, section 5.1); `null` if unknown. */
function responseTime({ headers }: Response): Date | null {
  const dateMs = Date.parse(headers.get('date') ?? '');
  const ageMs = Number(headers.get('age') ?? 0) * 1_000;
  return Number.isFinite(dateMs + ageMs) ? new Date(dateMs + ageMs) : null;
}
