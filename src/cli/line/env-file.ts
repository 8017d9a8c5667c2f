import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { messageOf } from '../../graph/values/index.ts';
import { UsageError } from './command.ts';

const ENV_FILE = '.env';

/**
 * Sets the variables of `.env` in the working folder, if it is there; those that the environment has already stay.
 * @throws UsageError if it can't be read
 */
export function readEnvFile(): void {
  if (!existsSync(ENV_FILE)) return;
  try {
    loadEnvFile(ENV_FILE);
  } catch (error) {
    throw new UsageError(`${ENV_FILE} can't be read: ${messageOf(error)}`, { cause: error });
  }
}
