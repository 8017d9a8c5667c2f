import { createRequire, register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownModule } from '../../process/own-code.ts';

/** The number of calls of `forgetModules`. Modules are imported once per number. */
let currentGeneration = 0;

/** Makes the next imports reload the modules of the project; those of packages and of the engine stay loaded. */
export function forgetModules(): void {
  if (currentGeneration === 0)
    register(pathToFileURL(ownModule('./generation-hook', import.meta.url)), import.meta.url);
  currentGeneration += 1;
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (!isForeignModule(file)) delete cache[file];
}

/** The current import URL of a module. */
export function currentUrl(moduleUrl: string): string {
  return currentGeneration === 0 ? moduleUrl : `${moduleUrl}?generation=${currentGeneration}`;
}

const ENGINE = fileURLToPath(new URL('../../', import.meta.url));

function isForeignModule(file: string): boolean {
  return file.includes('/node_modules/') || file.startsWith(ENGINE);
}
