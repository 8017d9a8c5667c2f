import { readFile } from 'node:fs/promises';
import { messageOf, toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import { UsageError } from './command.ts';
import { createLocator, locationAt } from './json-locations.ts';
import type { JsonLocation } from './json-locations.ts';

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
  /** The parsed file, or the reason why it is no JSON. */
  readonly content: { readonly definition: Json } | { readonly fault: LocatedIssue };
  readonly locate: (issue: FileIssue) => LocatedIssue;
}

/** Reads a definition file. @throws UsageError if the file can't be read */
export async function readDefinition(file: string): Promise<DefinitionFile> {
  const text = await readText(file);
  let locator: ReturnType<typeof createLocator> | null = null;
  return {
    file,
    content: parse(text),
    locate(issue) {
      locator ??= createLocator(text);
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
