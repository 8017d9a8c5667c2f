import { createRequire } from 'node:module';
import type { ResolveHook } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve: find } = createRequire(import.meta.url);

/** In the modules of a project, `holdfast` is the engine that has loaded them, not another copy of it. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) =>
  await nextResolve(OWN.test(specifier) ? pathToFileURL(find(specifier)).href : specifier, context);

const OWN = /^holdfast(?:\/|$)/;
