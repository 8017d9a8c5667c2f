import type { DescriptionOf } from './node-description.ts';

export const set: DescriptionOf<'set'> = {
  summary: 'Writes channels, without calling anything.',
  templates: [],
  look: { outline: 'rectangle', fill: 'F7F7F7' },
};
