import { createRequire } from 'node:module';
import type { ResolveHook } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve: find } = createRequire(import.meta.url);

/** Resolves `holdfast` in the modules of a project to the engine that has loaded them, not to another copy of it. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) =>
  await nextResolve(OWN.test(specifier) ? pathToFileURL(find(specifier)).href : specifier, context);

const OWN = /^holdfast(?:\/|$)/;
