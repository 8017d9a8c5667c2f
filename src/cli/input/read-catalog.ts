import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CONFIG_FILES } from '../../config/load-config.ts';
import type { Config } from '../../config/load-config.ts';
import { DEFAULTS, NO_CEILINGS } from '../../graph/definition/index.ts';
import type { Catalog } from '../../graph/definition/index.ts';
import { messageOf } from '../../graph/values/index.ts';
import { setVariables } from '../../process/process-options.ts';
import { UsageError } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';

/** The catalog that names are checked against. */
export interface KnownNames {
  readonly catalog: Catalog;
  /** The configuration file; `null` means that there is none and names are not checked. */
  readonly origin: string | null;
}

export const NOTHING_KNOWN: KnownNames = {
  catalog: { models: {}, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: NO_CEILINGS },
  origin: null,
};

/**
 * Reads the catalog of the requested configuration, else of the one in HOLDFAST_CONFIG or in the working folder.
 * @throws UsageError if the configuration can't be used
 */
export async function readCatalog(
  file: string | undefined,
  terminal: Pick<Terminal, 'env' | 'stderr'>,
): Promise<KnownNames> {
  const { env: environment, stderr } = terminal;
  const origin = findConfig(file, terminal);
  if (origin === undefined) return NOTHING_KNOWN;
  try {
    const [{ loadConfig }, { toCatalog }, { addMcpTools }, { findMissingSecrets }] = await Promise.all([
      import('../../config/load-config.ts'),
      import('../../config/to-catalog.ts'),
      import('../../config/connect-mcp-servers.ts'),
      import('../../config/missing-secrets.ts'),
    ]);
    const report = (message: string): void => void stderr.write(`${message}\n`);
    const { config } = await addMcpTools(await loadConfig(origin), { environment, report });
    for (const message of findMissingSecrets(config, environment)) report(`warning: ${message}`);
    return { catalog: toCatalog(config), origin };
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** Reads a configuration. @throws UsageError if it can't be used, or there is none */
export async function readConfig(file: string | undefined): Promise<Config> {
  try {
    const { loadConfig } = await import('../../config/load-config.ts');
    return await loadConfig(file);
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** Finds the configuration file, in the same order. @returns `undefined` without one */
export function findConfig(requested: string | undefined, { env }: Pick<Terminal, 'env'>): string | undefined {
  return requested ?? setVariables(env)['HOLDFAST_CONFIG'] ?? findHere();
}

function findHere(): string | undefined {
  return CONFIG_FILES.find((file) => existsSync(resolve(file)));
}
