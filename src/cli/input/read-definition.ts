import { readFile } from 'node:fs/promises';
import { importGraph, isModule } from '../../config/modules/import-graph.ts';
import { messageOf, toJson, toPointer, parsePointer } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { UsageError } from '../line/command.ts';

/** An issue as it is printed. Codes are texts, because the API may know newer ones. */
interface FileIssue {
  readonly code: string;
  readonly severity: string;
  readonly path: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** An issue with its location in the file. */
export type LocatedIssue = FileIssue & JsonLocation;

export interface DefinitionFile {
  readonly file: string;
  /** The definition, or the reason why the file has none. */
  readonly content: { readonly definition: Json } | { readonly fault: LocatedIssue };
  readonly locate: (issue: FileIssue) => LocatedIssue;
}

/** Reads a definition: JSON, or a module that exports a graph. @throws UsageError if the file can't be read */
export async function readDefinition(file: string): Promise<DefinitionFile> {
  const module = isModule(file) ? await load(file) : null;
  // A text read before the import may be of a file that was just being written.
  const source = await readText(file);
  const createLocate = module ? createSourceLocator : createLocator;
  let locator: ReturnType<typeof createLocate> | null = null;
  return {
    file,
    content: module ?? parse(source),
    locate(issue) {
      locator ??= createLocate(source);
      return { ...issue, ...locator(issue.path) };
    },
  };
}

/** @throws UsageError if the file can't be read */
export async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function parse(text: string): DefinitionFile['content'] {
  try {
    return { definition: toJson(JSON.parse(text)) };
  } catch (error) {
    const message = messageOf(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    const location = locationAt(text, position === undefined ? text.length : Number(position));
    return { fault: { code: 'INVALID_JSON', severity: 'error', path: '', message, ...location } };
  }
}

async function load(file: string): Promise<DefinitionFile['content']> {
  const graph = await importGraph(file);
  if ('definition' in graph) return graph;
  const { problem, at } = graph;
  return { fault: { code: 'INVALID_MODULE', severity: 'error', path: '', message: problem, ...at } };
}

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

function locationAt(text: string, offset: number): JsonLocation {
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
