import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { messageOf } from '../graph/values/index.ts';
import { UsageError } from './command.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

/** Reads flags and what stands between them. @throws UsageError for flags that there are not */
export function readFlags<T extends Flags>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
