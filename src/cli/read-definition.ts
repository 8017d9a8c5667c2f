import { readFile } from 'node:fs/promises';
import { messageOf, toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { UsageError } from './command.ts';
import { createLocator, placeAt } from './json-locations.ts';
import type { JsonLocation } from './json-locations.ts';

/** An issue as a file's reader needs it; the API may know codes that we don't. */
interface FileIssue {
  readonly code: string;
  readonly severity: string;
  readonly path: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** An issue, and where in the file it is. */
export type PlacedIssue = FileIssue & JsonLocation;

export interface DefinitionFile {
  readonly file: string;
  /** What stands in it, or why it is no JSON. */
  readonly content: { readonly definition: Json } | { readonly fault: PlacedIssue };
  readonly place: (issue: FileIssue) => PlacedIssue;
}

/** Reads a file that holds a definition. @throws UsageError when it can't be read */
export async function readDefinition(file: string): Promise<DefinitionFile> {
  const text = await readText(file);
  let locate: ReturnType<typeof createLocator> | null = null;
  return {
    file,
    content: parse(text),
    place(issue) {
      locate ??= createLocator(text);
      return { ...issue, ...locate(issue.path) };
    },
  };
}

/** @throws UsageError when it can't be read */
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
    const place = placeAt(text, position === undefined ? text.length : Number(position));
    return { fault: { code: 'INVALID_JSON', severity: 'error', path: '', message, ...place } };
  }
}
