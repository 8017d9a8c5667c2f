import type { Json } from '../../values/json.ts';
import type { CallFields } from '../common-fields.ts';
import type { Execution } from '../execution.ts';
import type { DescriptionOf } from './node-description.ts';

export interface FunctionFields extends CallFields {
  readonly function: string;
  readonly args?: Json;
  readonly execution?: Execution;
  readonly mayGoto?: readonly string[];
}

export const functionNode: DescriptionOf<FunctionFields> = {
  summary: 'Calls a function that the worker registers.',
  templates: ['args'],
  shown: { args: ['args'] },
  uses: { functions: ['function'] },
  calls: { functions: ['function'] },
  goto: ['mayGoto'],
  look: { outline: 'leaningLeft', fill: 'EFE6DD', subject: ['function'] },
};
