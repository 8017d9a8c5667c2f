import { compileCallable } from './callable-tool.ts';
import type { CallableTool, Caller } from './callable-tool.ts';
import type { TaskContext } from '../runner.ts';
import type { TimeLeft } from '../stopwatch.ts';

/** The tools that a node's calls may use. */
export interface Toolbox {
  /** One that a model may ask for. */
  findAllowed(name: string): CallableTool | null;
  /** Any tool: another one may be called where one has failed that names it. */
  find(name: string): CallableTool | null;
}

/** Where calls are made. */
export interface Workplace {
  readonly task: TaskContext;
  readonly tools: Toolbox;
  readonly leftMs: TimeLeft;
}

/** @param names of the tools that a model may ask for; `null`: any that the installation has */
export function createToolbox(names: readonly string[] | null, caller: Caller): Toolbox {
  const known = new Map<string, CallableTool>();
  const find = (name: string): CallableTool | null => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const compiled = compileCallable(name, caller);
    if (compiled) known.set(name, compiled);
    return compiled;
  };
  const isAllowed = names === null ? () => true : (name: string) => names.includes(name);
  return { find, findAllowed: (name) => (isAllowed(name) ? find(name) : null) };
}
