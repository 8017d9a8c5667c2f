import { createDistinctTexts } from '../values/distinct-texts.ts';

/** Makes unique keys for the shapes of a drawing. */
export interface Keys {
  /**
   * @param prefix the kind of key; it keeps the key of a node from being a keyword, such as `end`
   * @param path ids; other characters than letters and digits become underscores, and long ids are cut
   */
  take(prefix: string, path: readonly string[]): string;
}

/** Of an id in a key, in characters. */
const MAX_ID = 60;

export function createKeys(): Keys {
  const give = createDistinctTexts((wanted, copy) => (copy === 1 ? wanted : `${wanted}__${copy}`));
  const spell = (id: string): string => id.slice(0, MAX_ID).replaceAll(/[^A-Za-z0-9]/g, '_');
  return { take: (prefix, path) => give([prefix, ...path.map(spell)].join('_')) };
}
