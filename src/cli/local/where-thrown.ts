import { fileURLToPath } from 'node:url';
import { isForeignModule } from '../../config/modules/project-modules.ts';
import { errorChain } from '../../graph/values/index.ts';

/**
 * The location in the project's own code where an error was thrown, such as ` (/app/tools/pay.ts:3:9)`; empty if
 * unknown.
 */
export function whereThrown(error: unknown): string {
  const frames = errorChain(error)
    .toReversed()
    .flatMap(({ stack = '' }) => stack.split('\n').flatMap((line) => locationInStackLine(line) ?? []));
  const frame = frames.find(({ file }) => !isForeignModule(file));
  return frame ? ` (${frame.file}${frame.position})` : '';
}

/** A line of a stack trace. The URL of a reloaded module ends with its generation. */
const STACK_FRAME_PATTERN = /^\s+at (?:.*\()?(?<file>(?:file:\/\/)?\/[^()?]*?)(?:\?[^:()]*)?(?<position>:\d+:\d+)\)?$/;

function locationInStackLine(line: string): { readonly file: string; readonly position: string } | null {
  const { file, position } = STACK_FRAME_PATTERN.exec(line)?.groups ?? {};
  if (file === undefined || position === undefined) return null;
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, position };
}
