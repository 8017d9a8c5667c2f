import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** True in the module that the process was started with. */
export function isMain(moduleUrl: string): boolean {
  const [, entry] = process.argv;
  return entry !== undefined && realpathSync(entry) === fileURLToPath(moduleUrl);
}
