import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { isJsonList, isJsonObject } from '../../../src/graph/values/json.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { CallFailure, runInMemory } from '../doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../doubles/memory-shell.ts';
import { aCatalog, aDefinition } from './builders.ts';

/** Starts a definition with the usual catalog and no input. */
export function startRun(over: Partial<GraphDefinition>, outside: Outside = {}): MemoryRun {
  return runInMemory({ definition: aDefinition(over), catalog: aCatalog(), input: {} }, outside);
}

/** A node that adds a text to the log. */
export const adds = (text: string) => ({ type: 'set', write: { log: text } }) as const;

/** Nodes that add their own names to the log. */
export function addsNames(...ids: readonly string[]): Record<string, ReturnType<typeof adds>> {
  return Object.fromEntries(ids.map((id) => [id, adds(id)]));
}

export const typesOf = ({ events }: MemoryRun): string[] => events.map(({ type }) => type);

export const logOf = ({ run }: MemoryRun): Json | undefined => run.root.channels['log'];

/** Decides the latest approval by its id: without an id a decision refers to the first approval of the run. */
export function decideLast(run: MemoryRun, decision: 'approve' | 'reject', content: JsonObject): void {
  run.signal(decision, { approvalId: `${run.run.id}.a${run.run.counters.approval}`, ...content });
}

/** Returns the first entry of the log. */
export function firstLogged(run: MemoryRun): Json | undefined {
  const log = logOf(run) ?? null;
  return isJsonList(log) ? log[0] : undefined;
}

/** Outside whose tools all fail. */
export const failing: Outside = {
  tool: () => {
    throw new CallFailure('TOOL_FAILED', 'declined');
  },
};

/** Outside whose functions return their argument `give`. */
export const functionsThatGive: Outside = {
  function: ({ args }) => (isJsonObject(args) ? (args['give'] ?? null) : null),
};

/** A function node that returns a value. */
export const gives = (give: Json, mayGoto: readonly string[] = []) =>
  ({ type: 'function', function: 'double', args: { give }, mayGoto }) as const;
