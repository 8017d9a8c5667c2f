import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../graph/values/index.ts';
import { SetupError } from './setup-error.ts';

/** Opens a file that a log is added to, and makes its folder. @returns its descriptor @throws SetupError */
export function openLogFile(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'a');
  } catch (error) {
    throw new SetupError(`The log can't be written to ${file}: ${messageOf(error)}`, { cause: error });
  }
}
