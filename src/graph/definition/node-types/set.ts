import type { CommonFields } from '../common-fields.ts';
import type { DescriptionOf } from './node-description.ts';

export const set: DescriptionOf<CommonFields> = {
  summary: 'Writes channels, without calling anything.',
  templates: [],
  look: { outline: 'rectangle', fill: 'F7F7F7' },
};
