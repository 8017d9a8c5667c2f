import type { ResolveHook } from 'node:module';

const ENGINE = new URL('../../', import.meta.url).href;

/** Gives the imports of a module the generation of that module, as far as they are of its project. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  const generation = context.parentURL === undefined ? null : generationOf(context.parentURL);
  if (generation === null || generationOf(resolved.url) !== null || !isOfProject(resolved.url)) return resolved;
  const url = new URL(resolved.url);
  url.searchParams.set('generation', generation);
  return { ...resolved, url: url.href };
};

function generationOf(url: string): string | null {
  return url.startsWith('file:') ? new URL(url).searchParams.get('generation') : null;
}

function isOfProject(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/') && !url.startsWith(ENGINE);
}
