import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isBuilt } from '../process/own-code.ts';

/**
 * Imports a module of a project, in JavaScript or TypeScript.
 * @returns its default export; without one, all that it exports
 */
export async function importModule(path: string): Promise<unknown> {
  loading ??= isBuilt ? loadProjects() : Promise.resolve();
  await loading;
  const module: unknown = await import(pathToFileURL(path).href);
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
}

let loading: Promise<void> | null = null;

/** Makes Node read TypeScript, which it does already where the engine runs from its source. */
async function loadProjects(): Promise<void> {
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
  register('./own-package-hook.js', import.meta.url);
}
