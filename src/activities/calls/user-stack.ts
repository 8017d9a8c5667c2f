import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { truncate } from '../../graph/values/index.ts';

/** The location where configured code threw. */
export interface UserStack {
  /** The name of the error, such as `TypeError`. */
  readonly name: string;
  /** One frame per line, innermost first; paths are relative to the working folder. */
  readonly frames: string;
}

const MAX_FRAMES = 10;
/** In characters. */
const MAX_FRAMES_LENGTH = 2_000;

/** The folders of the engine's own modules, in the source and in the build. */
const OWN_FOLDERS = ['src', 'dist'].map((folder) => fileURLToPath(new URL(`../../../${folder}/`, import.meta.url)));

/** Finds the frames of an error that are in the files of the user. @returns `null` if there are none */
export function userStackOf(thrown: unknown): UserStack | null {
  if (!(thrown instanceof Error)) return null;
  const frames = String(thrown.stack)
    .slice(-MAX_SEARCHED_STACK)
    .split('\n')
    .flatMap((line) => toUserFrame(line) ?? [])
    .slice(0, MAX_FRAMES);
  return frames.length === 0 ? null : { name: thrown.name, frames: truncate(frames.join('\n'), MAX_FRAMES_LENGTH) };
}

/** In characters. The message, which may be long, stands before the frames. */
const MAX_SEARCHED_STACK = 20_000;
const MAX_STACK_LINE = 1_000;

/** A frame as V8 writes it: `at name (path:1:2)`, or `at path:1:2`. */
const STACK_FRAME_PATTERN =
  /^\s+at (?:(?<name>.+) \(|async )?(?<path>(?:file:\/\/)?\/.+):(?<row>\d+):(?<column>\d+)\)?$/;

function toUserFrame(line: string): string | null {
  if (line.length > MAX_STACK_LINE) return null;
  const { name, path: location = '', row, column } = STACK_FRAME_PATTERN.exec(line)?.groups ?? {};
  const path = pathOfFrame(location);
  if (path === null || isEngineCode(path) || path.includes('/node_modules/')) return null;
  const position = `${toRelativePath(path)}:${row}:${column}`;
  return name === undefined ? `at ${position}` : `at ${name} (${position})`;
}

function isEngineCode(path: string): boolean {
  return OWN_FOLDERS.some((folder) => path.startsWith(folder));
}

/** Reads the path of a frame. @returns `null` for code outside of files */
function pathOfFrame(location: string): string | null {
  const withoutQuery = location.replace(/\?.*$/, '');
  try {
    const path = withoutQuery.startsWith('file://') ? fileURLToPath(withoutQuery) : withoutQuery;
    return isAbsolute(path) ? path : null;
  } catch {
    return null;
  }
}

function toRelativePath(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}
