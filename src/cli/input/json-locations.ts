import { toPointer } from '../../graph/values/index.ts';

/** Line and column in a text, both from 1. */
export interface JsonLocation {
  readonly line: number;
  readonly column: number;
}

/** Locates values of a JSON text by pointer; a member is located at its key, and a missing value at its parent. */
export function createLocator(text: string): (pointer: string) => JsonLocation {
  const offsets = offsetsIn(text);
  return (pointer) => {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const offset = at === '' ? 0 : offsets.get(at);
      if (offset !== undefined) return locationAt(text, offset);
    }
  };
}

export function locationAt(text: string, offset: number): JsonLocation {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+/g;

/** An open object or list. */
interface Level {
  readonly pointer: string;
  /** Key or index of the current value; `null` before a member's key. */
  key: string | number | null;
}

function offsetsIn(text: string): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const levels: Level[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === ',') advance(level);
    else if (token === '}' || token === ']') levels.pop();
    else if (level?.key === null) {
      level.key = String(JSON.parse(token));
      offsets.set(pointerOf(level), index);
    } else beginValue(token, index, { offsets, levels });
  }
  return offsets;
}

interface Scan {
  readonly offsets: Map<string, number>;
  readonly levels: Level[];
}

function beginValue(token: string, index: number, { offsets, levels }: Scan): void {
  const level = levels.at(-1);
  const pointer = level ? pointerOf(level) : '';
  if (!offsets.has(pointer)) offsets.set(pointer, index);
  if (token === '{') levels.push({ pointer, key: null });
  if (token === '[') levels.push({ pointer, key: 0 });
}

function pointerOf({ pointer, key }: Level): string {
  return `${pointer}${toPointer([key ?? ''])}`;
}

function advance(level: Level | undefined): void {
  if (level) level.key = typeof level.key === 'number' ? level.key + 1 : null;
}
