import type { CallSafety, FunctionEntry } from '../graph/definition/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { ToolContext } from './tools/tool.ts';

/** A registered function: its catalog entry and its code. */
export interface RegisteredFunction extends FunctionEntry {
  readonly effect: CallSafety;
  execute(args: Json, context: ToolContext): unknown;
}
