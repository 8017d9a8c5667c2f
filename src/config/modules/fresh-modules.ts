import { createRequire, register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownModule } from '../../process/own-code.ts';

/** The number of calls of `forgetModules`. Modules are imported once per number. */
let generation = 0;

/** Makes the next imports reload the modules of the project; those of packages and of the engine stay loaded. */
export function forgetModules(): void {
  if (generation === 0) register(pathToFileURL(ownModule('./generation-hook', import.meta.url)), import.meta.url);
  generation += 1;
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (!isForeign(file)) delete cache[file];
}

/** The current import URL of a module. */
export function currentUrl(moduleUrl: string): string {
  return generation === 0 ? moduleUrl : `${moduleUrl}?generation=${generation}`;
}

const ENGINE = fileURLToPath(new URL('../../', import.meta.url));

function isForeign(file: string): boolean {
  return file.includes('/node_modules/') || file.startsWith(ENGINE);
}
