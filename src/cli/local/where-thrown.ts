import { fileURLToPath } from 'node:url';
import { errorChain } from '../../graph/values/index.ts';

/** The place in the project's own code where an error was thrown, such as ` (/app/tools/pay.ts:3:9)`; else empty. */
export function whereThrown(error: unknown): string {
  const frames = errorChain(error)
    .toReversed()
    .flatMap(({ stack = '' }) => stack.split('\n').flatMap((line) => placeIn(line) ?? []));
  const place = frames.find(({ file }) => !file.includes('/node_modules/') && !file.startsWith(ENGINE));
  return place ? ` (${place.file}${place.position})` : '';
}

const ENGINE = fileURLToPath(new URL('../../', import.meta.url));

/** A line of a stack. A module that was read anew has its generation behind its name. */
const FRAME = /^\s+at (?:.*\()?(?<file>(?:file:\/\/)?\/[^()?]*?)(?:\?[^:()]*)?(?<position>:\d+:\d+)\)?$/;

function placeIn(line: string): { readonly file: string; readonly position: string } | null {
  const { file, position } = FRAME.exec(line)?.groups ?? {};
  if (file === undefined || position === undefined) return null;
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, position };
}
