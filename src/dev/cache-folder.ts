import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of what is made or fetched once for all projects of a person. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast');
}
