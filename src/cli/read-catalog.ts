import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import { DEFAULTS } from '../graph/definition/index.ts';
import type { Catalog } from '../graph/definition/index.ts';
import { messageOf } from '../graph/values/index.ts';
import { UsageError } from './command.ts';
import type { Terminal } from './command.ts';

/** What names are checked against. */
export interface KnownNames {
  readonly catalog: Catalog;
  /** The configuration; `null`: there is none, and names can't be checked. */
  readonly origin: string | null;
}

export const NOTHING_KNOWN: KnownNames = {
  catalog: { models: {}, tools: {}, functions: {}, defaults: DEFAULTS },
  origin: null,
};

/**
 * Reads the configuration that is asked for, else the one that the environment names or that lies here, if any.
 * @throws UsageError when it can't be used
 */
export async function readCatalog(
  wanted: string | undefined,
  terminal: Pick<Terminal, 'env' | 'stderr'>,
): Promise<KnownNames> {
  const { env: environment, stderr } = terminal;
  const origin = findConfig(wanted, terminal);
  if (origin === undefined) return NOTHING_KNOWN;
  try {
    const [config, { toCatalog }, { learnMcpTools }] = await Promise.all([
      loadConfig(origin),
      import('../config/to-catalog.ts'),
      import('../config/connect-mcp-servers.ts'),
    ]);
    const report = (message: string): void => void stderr.write(`${message}\n`);
    return { catalog: toCatalog(await learnMcpTools(config, { environment, report })), origin };
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** The configuration that is asked for, else the one that the environment names or that lies here, if any. */
export function findConfig(wanted: string | undefined, { env }: Pick<Terminal, 'env'>): string | undefined {
  return [wanted, env['HOLDFAST_CONFIG']].find((file) => file !== undefined && file !== '') ?? findHere();
}

function findHere(): string | undefined {
  return ['holdfast.config.ts', 'holdfast.config.json'].find((file) => existsSync(resolve(file)));
}
