import { readFile, writeFile } from 'node:fs/promises';
import { parseTree } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import { importGraph, isModule } from '../../config/modules/import-graph.ts';
import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { JsonLossError, messageOf, parseDocument, parsePointer } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { UsageError } from '../line/command.ts';

/** An issue for output. Codes are plain texts because the API may use newer ones. */
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
  const module = isModule(file) ? await loadDefinition(file) : null;
  // The text is read after the import: an earlier read could meet a file that is still being written.
  const source = await readTextFile(file);
  const createLocate = module ? createSourceLocator : createLocator;
  let locator: ReturnType<typeof createLocate> | null = null;
  return {
    file,
    content: module ?? parseDefinitionText(source),
    locate(issue) {
      locator ??= createLocate(source);
      return { ...issue, ...locator(issue.path) };
    },
  };
}

/** Reads a graph from a JSON file or a module. @throws UsageError if the file contains none */
export async function readGraph(file: string): Promise<GraphDefinition> {
  const { content } = await readDefinition(file);
  if ('fault' in content) throw new UsageError(`${file}:${content.fault.line}: ${content.fault.message}`);
  if (isDefinition(content.definition)) return content.definition;
  throw new UsageError(`${file} is no graph definition`);
}

/** @throws UsageError if the file can't be read */
export async function readTextFile(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws UsageError if the file can't be written */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${messageOf(error)}`, { cause: error });
  }
}

function parseDefinitionText(text: string): DefinitionFile['content'] {
  try {
    return { definition: parseDocument(text) };
  } catch (error) {
    const location = locationAtOffset(text, offsetOfError(error) ?? text.length);
    const path = error instanceof JsonLossError ? error.pointer : '';
    return { fault: { code: 'INVALID_JSON', severity: 'error', path, message: messageOf(error), ...location } };
  }
}

/** Returns the offset that an error of parsing names; `null` if it names none. */
function offsetOfError(error: unknown): number | null {
  if (error instanceof JsonLossError) return error.offset;
  const position = /at position (\d+)/.exec(messageOf(error))?.[1];
  return position === undefined ? null : Number(position);
}

async function loadDefinition(file: string): Promise<DefinitionFile['content']> {
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
  const root = parseTree(text);
  return (pointer) => {
    let found = root;
    for (const name of parsePointer(pointer)) {
      const child = found && lastMemberNode(found, name);
      if (!child) break;
      found = child;
    }
    return locationAtOffset(text, found?.parent ? startOffset(found, found.parent) : 0);
  };
}

function locationAtOffset(text: string, offset: number): JsonLocation {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

/** If a name occurs more than once, the last member counts, as in `JSON.parse`. */
function lastMemberNode({ type, children = [] }: Node, name: string): Node | undefined {
  if (type === 'array') return children[Number(name)];
  return children.findLast((member) => member.children?.[0]?.value === name)?.children?.[1];
}

function startOffset({ offset }: Node, parent: Node): number {
  return parent.type === 'property' ? parent.offset : offset;
}

/**
 * Locates values of a graph in the source code that builds it: it searches the names of a pointer one after the other.
 * A value that is not found gets the location of the last name that is.
 */
export function createSourceLocator(source: string): (pointer: string) => JsonLocation {
  return (pointer) => {
    let offset = Math.max(0, source.search(/new StateGraph|\b(?:name|channels|nodes)['"]?:/));
    for (const name of parsePointer(pointer)) offset = nextOffset(source, name, offset);
    return locationAtOffset(source, offset);
  };
}

/** @returns the offset of a name after an offset; the given offset if the name is not found */
function nextOffset(source: string, name: string, from: number): number {
  if (NAMES_NOT_IN_SOURCE.test(name)) return from;
  const isPartOfWord = (at: number): boolean => /[\w-]/.test(source.charAt(at));
  for (let at = source.indexOf(name, from); at >= 0; at = source.indexOf(name, at + 1))
    if (!isPartOfWord(at - 1) && !isPartOfWord(at + name.length)) return at;
  return from;
}

/** Parts of a pointer that do not occur in the builder's code: fixed keys and list indexes. */
const NAMES_NOT_IN_SOURCE = /^(?:nodes|edges|\d*)$/;
