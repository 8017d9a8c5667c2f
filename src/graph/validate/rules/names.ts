import { END, START, GRAPH_NAME, NAME } from '../../definition/definition.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject } from '../../values/json.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';

/** Names that would collide with other API paths next to those of graphs. */
const RESERVED_GRAPH_NAMES: ReadonlySet<string> = new Set(['validate']);

/** Finds a name with characters that are not allowed, or one that the language reserves. */
export const invalidNameRule = defineRule({
  codes: ['INVALID_NAME', 'RESERVED_NAME'],
  find: ({ definition }) => {
    const { name } = definition;
    return [
      ...checkGraphName(name),
      ...checkNames('nodes', 'node id', definition['nodes']),
      ...checkNames('channels', 'channel name', definition['channels']),
    ];
  },
});

type NameIssues = GraphIssues<'INVALID_NAME' | 'RESERVED_NAME'>;

function checkGraphName(name: unknown): NameIssues {
  if (typeof name !== 'string') return [];
  if (RESERVED_GRAPH_NAMES.has(name))
    return [error('RESERVED_NAME', '/name', `"${name}" is reserved: a route of the API has this name`)];
  if (GRAPH_NAME.test(name)) return [];
  return [
    error(
      'INVALID_NAME',
      '/name',
      `"${name.slice(0, 80)}" is no graph name: lower-case letters, digits and "-", beginning with a letter, 63 at most`,
    ),
  ];
}

function checkNames(field: string, what: string, value: unknown): NameIssues {
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((name): NameIssues => {
    const path = toPointer([field, name]);
    if (name === START || name === END) return [error('RESERVED_NAME', path, `"${name}" is reserved`)];
    if (NAME.test(name)) return [];
    return [
      error(
        'INVALID_NAME',
        path,
        `"${name.slice(0, 80)}" is no ${what}: letters, digits, "_" and "-", beginning with a letter, 63 at most`,
      ),
    ];
  });
}
