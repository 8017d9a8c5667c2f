import type { Checker, Compiling, Keyword } from './keyword.ts';
import { LAST_KEYWORDS, SCHEMA_KEYWORDS } from './schema-keywords.ts';
import { VALUE_KEYWORDS } from './value-keywords.ts';

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...VALUE_KEYWORDS, ...SCHEMA_KEYWORDS, ...LAST_KEYWORDS }),
);

/** The checkers of a schema's keywords, in the order in which they apply; keywords that are not known have none. */
export function checkersOf(compiling: Compiling): readonly Checker[] {
  const present = Object.entries(compiling.schema).sort(([a], [b]) => Number(isLast(a)) - Number(isLast(b)));
  return present.flatMap(([name, content]) => {
    const keyword = KEYWORDS.get(name);
    return keyword ? [keyword(content, compiling)] : [];
  });
}

function isLast(name: string): boolean {
  return Object.hasOwn(LAST_KEYWORDS, name);
}
