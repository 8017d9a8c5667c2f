import type { ResolveHook } from 'node:module';

const ENGINE = new URL('../../', import.meta.url).href;

/** Passes the generation of a module on to its imports within the project. */
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
