import { createRequire } from 'node:module';
import { PROVIDER_PACKAGES } from '../activities/model-providers.ts';
import type { Config } from './load-config.ts';

/** The fields of a configuration that need packages of their own. */
type PackageUse = Pick<Config, 'models' | 'mcpServers' | 'memory'>;

/** The client of MCP servers. */
const MCP_PACKAGE = '@modelcontextprotocol/sdk/client/index.js';

/**
 * Checks that the optional packages that a configuration needs are installed.
 * @throws Error that names what needs each missing package, and the command that installs all of them
 */
export function requirePackages(use: PackageUse, isInstalled = isPackageInstalled): void {
  const needed = neededPackages(use);
  const missing = [...new Set(needed.map(([entry]) => entry))].filter((entry) => !isInstalled(entry));
  if (missing.length === 0) return;
  const usersOf = (entry: string) => needed.filter(([one]) => one === entry).map(([, user]) => user);
  throw new Error(
    [
      'The configuration needs packages that are not installed:',
      ...missing.map((entry) => `  ${packageOf(entry)}, for ${usersOf(entry).join(', ')}`),
      `Install them: npm install ${missing.map(packageOf).join(' ')}`,
    ].join('\n'),
  );
}

/** The entries of the packages that a configuration needs, each with what needs it. */
function neededPackages({ models, mcpServers, memory }: PackageUse): readonly (readonly [string, string])[] {
  const ofModels = Object.entries(models).flatMap(([name, settings]) =>
    'generate' in settings
      ? []
      : PROVIDER_PACKAGES[settings.provider].map((entry) => [entry, `model "${name}"`] as const),
  );
  const [adapter] = memory.embeddings ? PROVIDER_PACKAGES[memory.embeddings.provider] : [];
  const ofMemory = adapter === undefined ? [] : [[adapter, 'memory.embeddings'] as const];
  const ofServers = Object.keys(mcpServers).map((name) => [MCP_PACKAGE, `MCP server "${name}"`] as const);
  return [...ofModels, ...ofMemory, ...ofServers];
}

/** The name of the package of an entry, such as `@scope/name` of `@scope/name/file.js`. */
function packageOf(entry: string): string {
  return entry.split('/', entry.startsWith('@') ? 2 : 1).join('/');
}

const { resolve } = createRequire(import.meta.url);

function isPackageInstalled(entry: string): boolean {
  try {
    resolve(entry);
    return true;
  } catch {
    return false;
  }
}
