import type { ResolveHook } from 'node:module';

/** In the modules of a project, `holdfast` is the engine that has loaded them, not another copy of it. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) =>
  await nextResolve(specifier, OWN.test(specifier) ? { ...context, parentURL: import.meta.url } : context);

const OWN = /^holdfast(?:\/|$)/;
