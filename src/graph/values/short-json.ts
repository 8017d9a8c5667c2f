import { isJsonList, isJsonObject } from './json.ts';
import type { Json } from './json.ts';
import { abbreviate } from './text.ts';
import { MAX_MESSAGE } from './errors.ts';

/** Writes at most `maxLength` characters of a value's JSON. The rest of the value is not read. */
export function shortJson(value: Json, maxLength: number): string {
  let text = '';
  for (const piece of piecesOf(value, maxLength)) {
    text += piece;
    if (text.length > maxLength) break;
  }
  return abbreviate(text, maxLength);
}

/** @param maxLength of a text in the value; with its quotes, a longer text exceeds the limit, so it is cut again */
function* piecesOf(value: Json, maxLength: number): Generator<string, void> {
  if (isJsonList(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOf(item, maxLength);
    }
    yield ']';
  } else if (isJsonObject(value)) {
    yield '{';
    let isFirst = true;
    for (const key in value) {
      yield `${isFirst ? '' : ','}${quoted(key, maxLength)}:`;
      yield* piecesOf(value[key] ?? null, maxLength);
      isFirst = false;
    }
    yield '}';
  } else yield typeof value === 'string' ? quoted(value, maxLength) : String(value);
}

function quoted(text: string, maxLength: number): string {
  return JSON.stringify(text.slice(0, maxLength));
}

/** A fault of outside data. `path` is a JSON Pointer into it. */
interface Issue {
  readonly path: string;
  readonly message: string;
  readonly severity?: string;
}

const MAX_ISSUES = 1_000;

/**
 * Limits issues to a readable amount. Errors come before warnings if not all are listed. Messages are cut, and a path
 * that is too long ends at an outer value.
 * @param most the maximum number of issues; the last one reports the number of the others
 */
export function boundIssues<One extends Issue>(issues: readonly One[], most = MAX_ISSUES): readonly One[] {
  const listed = issues.length > most ? listFirst(issues, most) : issues;
  return listed.map((issue) => ({
    ...issue,
    path: shortenPointer(issue.path),
    message: abbreviate(issue.message, MAX_MESSAGE),
  }));
}

function listFirst<One extends Issue>(issues: readonly One[], most: number): readonly One[] {
  const errorsFirst = [
    ...issues.filter(({ severity }) => severity !== 'warning'),
    ...issues.filter(({ severity }) => severity === 'warning'),
  ];
  const listed = errorsFirst.slice(0, most - 1);
  const [next] = errorsFirst.slice(listed.length);
  const count = issues.length - listed.length;
  return next ? [...listed, { ...next, path: '', message: `${count} more issues are not listed` }] : listed;
}

function shortenPointer(path: string): string {
  if (path.length <= MAX_MESSAGE) return path;
  const end = path.lastIndexOf('/', MAX_MESSAGE);
  return path.slice(0, Math.max(0, end));
}

/** Escapes control characters except line feeds, because untrusted text could move the cursor of a terminal. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
}

/** Returns the name of a value's type. The value itself may be a secret. */
export function nameOfType(value: Json): string {
  if (value === null) return 'null';
  if (isJsonList(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : (WORDS[typeof value] ?? typeof value);
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};
