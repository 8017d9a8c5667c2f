import { readFile } from 'node:fs/promises';
import { importGraph, isModule } from '../../config/modules/import-graph.ts';
import { messageOf, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { UsageError } from '../line/command.ts';
import { createLocator, locationAt } from './json-locations.ts';
import type { JsonLocation } from './json-locations.ts';
import { createSourceLocator } from './source-locations.ts';

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
