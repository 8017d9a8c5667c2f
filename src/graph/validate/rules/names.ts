import { END, START } from '../../definition/definition.ts';
import { GRAPH_NAME, NAME } from '../../definition/name-patterns.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject } from '../../values/json.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** Paths beside those of graphs. */
const RESERVED_GRAPH_NAMES: ReadonlySet<string> = new Set(['validate']);

/** `INVALID_NAME`, `RESERVED_NAME`: a name with characters that are not allowed, or one that the language uses itself. */
export const names: Rule = ({ definition }) => {
  const { name } = definition;
  return [
    ...checkGraphName(name),
    ...checkNames('nodes', 'node id', definition['nodes']),
    ...checkNames('channels', 'channel name', definition['channels']),
  ];
};

function checkGraphName(name: unknown): ReturnType<Rule> {
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

function checkNames(field: string, what: string, value: unknown): ReturnType<Rule> {
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((name) => {
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
