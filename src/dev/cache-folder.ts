import { homedir } from 'node:os';
import { join } from 'node:path';

/** A folder of what is made or fetched once for all projects of a person. It need not be there. */
export function cacheFolder(environment: NodeJS.ProcessEnv, name: string): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', name);
}
