import type { ModelFields } from '../../definition/node-types/model-fields.ts';
import { offeredNames } from '../../definition/node-types/offered-tool.ts';
import type { Bindings } from '../../expression/names.ts';
import { GraphError } from '../../values/errors.ts';
import { isJsonList } from '../../values/json.ts';
import { abbreviate } from '../../values/text.ts';
import { parseTemplatedField } from '../node-settings.ts';

/**
 * Compiles a field that chooses among the names that its node lists.
 * @returns a function that fills the field and returns the chosen names in order, each once. It throws a GraphError:
 *   `INVALID_CHOICE` for a name outside of the list, or no name where one is needed; `EXPRESSION_FAILED`
 */
export function compileChoice(
  field: string,
  template: string,
  listed: readonly string[],
  mayBeEmpty = false,
): (bindings: Bindings) => readonly string[] {
  const filler = parseTemplatedField(field, template, '');
  const known = new Set<unknown>(listed);
  return (bindings) => {
    const value = filler.fill(bindings);
    const chosen = new Set(isJsonList(value) ? value : [value]);
    const names = [...chosen].filter((name) => typeof name === 'string');
    const unknown = [...chosen].find((name) => !known.has(name));
    if (unknown !== undefined) throw invalidChoice(field, `${abbreviate(JSON.stringify(unknown), 80)} is none`, listed);
    if (names.length === 0 && !mayBeEmpty) throw invalidChoice(field, 'it chooses none', listed);
    return names;
  };
}

/** Compiles the choice among a node's tools; without one, all of them are chosen. */
export function compileActiveTools({
  tools = [],
  activeTools,
}: Pick<ModelFields, 'tools' | 'activeTools'>): (bindings: Bindings) => readonly string[] {
  const names = offeredNames(tools);
  return activeTools === undefined ? () => names : compileChoice('activeTools', activeTools, names, true);
}

function invalidChoice(field: string, problem: string, listed: readonly string[]): GraphError {
  const names = abbreviate(listed.join(', '), 200);
  return new GraphError('INVALID_CHOICE', `${field}: ${problem} of the names that this node lists: ${names}`);
}
