import type { JsonObject } from '../values/json.ts';

/** What the code of a function or node type may return instead of a result: it steers the run. */
export interface FunctionCommand {
  /** Writes channels. */
  readonly update?: Readonly<Record<string, unknown>>;
  /** Runs nodes of the node's `mayGoto` besides its edges. */
  readonly goto?: string | readonly string[];
  readonly control?: 'continue' | 'pause' | 'abort' | 'replan';
  readonly reason?: string;
}

const FIELDS: ReadonlySet<string> = new Set<keyof FunctionCommand>(['update', 'goto', 'control', 'reason']);

/** True if a value that code returns is a command: it has only fields of one, and not only a reason. */
export function isCommand(returned: JsonObject): boolean {
  const names = Object.keys(returned);
  return names.every((name) => FIELDS.has(name)) && names.some((name) => name !== 'reason');
}
