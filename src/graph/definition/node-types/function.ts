import type { Json } from '../../values/json.ts';
import type { CallFields } from '../common-fields.ts';
import type { Execution } from '../execution.ts';
import type { DescriptionOf } from './node-description.ts';

export interface FunctionFields extends CallFields {
  /** The name of the function. */
  readonly function: string;
  /** The arguments: templates, at any depth. */
  readonly args?: Json;
  /** Where calls run: "activity", or "local" for short idempotent ones. */
  readonly execution?: Execution;
  /** Nodes that a command may go to, in addition to the edges. */
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
