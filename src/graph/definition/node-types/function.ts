import type { DescriptionOf } from './node-description.ts';

export const functionNode: DescriptionOf<'function'> = {
  summary: 'Calls a function that the worker registers.',
  templates: ['args'],
  uses: { functions: ['function'] },
  goto: ['mayGoto'],
  look: { outline: 'leaningLeft', fill: 'EFE6DD', subject: ['function'] },
};
