import { homedir } from 'node:os';
import { join } from 'node:path';

/** A folder for what takes long to get, and is used again by all checkouts of this user. It need not be there. */
export function cacheFolder(environment: NodeJS.ProcessEnv, name: string): string {
  return join(environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast', name);
}
