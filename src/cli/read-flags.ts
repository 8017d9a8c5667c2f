import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { messageOf } from '../graph/values/index.ts';
import { UsageError } from './command.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Parsed<T extends Flags> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

/** Parses flags and positional arguments. @throws UsageError for unknown flags */
export function readFlags<T extends Flags>(args: readonly string[], options: T): Parsed<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
