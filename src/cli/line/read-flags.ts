import { parseArgs } from 'node:util';
import { messageOf } from '../../graph/values/index.ts';
import { UsageError } from './command.ts';
import type { Flags, Parsed } from './flags.ts';

/** Parses flags and the other arguments. @throws UsageError for unknown flags */
export function readFlags<F extends Flags>(args: readonly string[], options: F): Parsed<F> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
