import { addMcpTools } from '../../config/connect-mcp-servers.ts';
import { loadConfig } from '../../config/load-config.ts';
import { setVariables } from '../../process/process-options.ts';
import { databaseChecks } from './database-checks.ts';
import type { DoctorCheck, Installation } from './doctor-check.ts';
import { temporalChecks } from './temporal-checks.ts';
import { tokenChecks } from './token-checks.ts';

/** The checks of an installation; servers that the environment does not name are not checked. */
export function doctorChecks(installation: Installation): readonly DoctorCheck[] {
  const { DATABASE_URL: database, TEMPORAL_ADDRESS, TEMPORAL_PROFILE } = setVariables(installation.environment);
  const isElsewhere = Boolean(TEMPORAL_ADDRESS ?? TEMPORAL_PROFILE);
  return [
    { name: 'Node', find: findNodeVersion, remedy: 'install Node 20.20 or later' },
    configurationCheck(installation.configFile),
    serverCheck(installation),
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
      const counts = `${tools.length} tools, ${Object.keys(models).length} models, roles ${[...roles.keys()].join(', ')}`;
      return `${file}: ${counts}${graphs === undefined ? '' : `, graphs in ${graphs.folder}`}`;
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
      return [`${servers} servers with ${tools} tools`, ...warnings.map((warning) => `      warning: ${warning}`)].join(
        '\n',
      );
    },
  };
}
