import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError, switchFlag, textFlag } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { CONFIG_FILES } from '../../config/load-config.ts';
import type { Config } from '../../config/load-config.ts';
import { DEFAULTS, NO_CEILINGS } from '../../graph/definition/index.ts';
import type { Catalog } from '../../graph/definition/index.ts';
import { messageOf } from '../../graph/values/index.ts';
import { setVariables } from '../../process/process-options.ts';

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
  return requested ?? setVariables(env)['HOLDFAST_CONFIG'] ?? findConfigHere();
}

function findConfigHere(): string | undefined {
  return CONFIG_FILES.find((file) => existsSync(resolve(file)));
}

/* The flags of commands that read a configuration. */

export const CONFIG_FLAG = textFlag(
  'FILE',
  'the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)',
);

export const NO_CONFIG_FLAG = switchFlag('reads no configuration');

interface ConfigValues {
  readonly config?: string | undefined;
  readonly 'no-config': boolean;
}

/** True unless `--no-config` is set. @throws UsageError if `--config` is set as well */
export function wantsConfig({ config, 'no-config': isUnwanted }: ConfigValues): boolean {
  if (isUnwanted && config !== undefined) throw new UsageError('Give --config or --no-config, not both');
  return !isUnwanted;
}
