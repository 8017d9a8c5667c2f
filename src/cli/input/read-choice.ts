import { own } from '../../graph/values/index.ts';
import { UsageError } from '../line/command.ts';

/** Reads a flag that takes one of some names. @throws UsageError for another one */
export function readChoice<Name extends string>(
  flag: string,
  given: string,
  names: Readonly<Record<Name, Name>>,
): Name {
  const name = own<Name>(names, given);
  if (name === undefined) throw new UsageError(`${flag} takes ${Object.keys(names).join(', ')}, not "${given}"`);
  return name;
}
