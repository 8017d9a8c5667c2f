import type { InitializeHook, ResolveHook } from 'node:module';
import type { MessagePort } from 'node:worker_threads';

/* Runs in the thread of Node's module hooks. */

const ENGINE = new URL('../../', import.meta.url).href;

/** The modules that a module of the project imports, by addresses without generation. */
type Imports = Map<string, { readonly generation: number; readonly modules: Set<string> }>;

/** What the hook answers to each message: each module of the project with what it imports. */
export type ImportList = readonly (readonly [module: string, imported: readonly string[]])[];

const imports: Imports = new Map();

export const initialize: InitializeHook<MessagePort> = (port) => {
  port.on('message', () => {
    const list: ImportList = [...imports].map(([module, { modules }]) => [module, [...modules]]);
    port.postMessage(list);
  });
  port.unref();
};

/** Passes the generation of a module on to its imports within the project, and records them. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  const { parentURL } = context;
  if (parentURL === undefined || !isOfProject(resolved.url) || !isOfProject(parentURL)) return resolved;
  const generation = generationOf(parentURL);
  recordImport(withoutQuery(parentURL), withoutQuery(resolved.url), Number(generation ?? 0));
  if (generation === null || generationOf(resolved.url) !== null) return resolved;
  const url = new URL(resolved.url);
  url.searchParams.set('generation', generation);
  return { ...resolved, url: url.href };
};

/** The first import of a new generation replaces those that the module had before. */
function recordImport(parent: string, module: string, generation: number): void {
  const known = imports.get(parent);
  if (known === undefined || generation > known.generation)
    imports.set(parent, { generation, modules: new Set([module]) });
  else if (generation === known.generation) known.modules.add(module);
}

function generationOf(url: string): string | null {
  return new URL(url).searchParams.get('generation');
}

function withoutQuery(url: string): string {
  return `file://${new URL(url).pathname}`;
}

function isOfProject(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/') && !url.startsWith(ENGINE);
}
