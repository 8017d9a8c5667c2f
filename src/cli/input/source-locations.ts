import { parsePointer } from '../../graph/values/index.ts';
import { locationAt } from './json-locations.ts';
import type { JsonLocation } from './json-locations.ts';

/**
 * Locates values of a graph in the code that builds it, as well as names tell: the names of a pointer are looked for one
 * after the other. What is not found is at the last name that is.
 */
export function createSourceLocator(source: string): (pointer: string) => JsonLocation {
  return (pointer) => {
    let offset = Math.max(0, source.search(/new StateGraph|\b(?:name|channels|nodes)['"]?:/));
    for (const name of parsePointer(pointer)) offset = nextOffset(source, name, offset);
    return locationAt(source, offset);
  };
}

/** @returns where a name stands after an offset; the offset itself if it does not */
function nextOffset(source: string, name: string, from: number): number {
  if (UNWRITTEN.test(name)) return from;
  const isPartOfWord = (at: number): boolean => /[\w-]/.test(source.charAt(at));
  for (let at = source.indexOf(name, from); at >= 0; at = source.indexOf(name, at + 1))
    if (!isPartOfWord(at - 1) && !isPartOfWord(at + name.length)) return at;
  return from;
}

/** Parts of a pointer that the builder's code does not have: its own words, and places in lists. */
const UNWRITTEN = /^(?:nodes|edges|\d*)$/;
