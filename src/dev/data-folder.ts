import { join } from 'node:path';
import { homedir } from 'node:os';

/** The default folder of a stack's state. */
export const DATA_DIR = '.holdfast';

/** The file with the addresses and tokens of the stack that runs, or ran last, with this folder. */
export function tokensFileIn(dataDir: string): string {
  return join(dataDir, 'tokens.json');
}

export function logFileIn(dataDir: string): string {
  return join(dataDir, 'holdfast.log');
}

/** The key that signs the tokens of a stack. */
export function issuerKeyIn(dataDir: string): string {
  return join(dataDir, 'issuer-key.json');
}

/** A folder for files that are created or downloaded once for all projects of a person. It may not exist yet. */
export function cacheFolder(environment: NodeJS.ProcessEnv, name: string): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', name);
}
