import { END, START } from '../../definition/definition.ts';
import { GRAPH_NAME, NAME } from '../../definition/name-patterns.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isJsonObject } from '../../values/json.ts';
import { error } from '../rule.ts';
import type { Rule } from '../rule.ts';

/** `INVALID_NAME`, `RESERVED_NAME`: a name with characters that are not allowed, or one that the language uses itself. */
export const names: Rule = ({ definition }) => {
  const { name } = definition;
  const ofGraph =
    typeof name === 'string' && !GRAPH_NAME.test(name)
      ? [
          error(
            'INVALID_NAME',
            '/name',
            `"${name.slice(0, 80)}" is no graph name: lower-case letters, digits and "-", beginning with a letter, 63 at most`,
          ),
        ]
      : [];
  return [
    ...ofGraph,
    ...checkNames('nodes', 'node id', definition['nodes']),
    ...checkNames('channels', 'channel name', definition['channels']),
  ];
};

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
