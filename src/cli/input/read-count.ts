import { UsageError } from '../line/command.ts';

/** Reads how many a command prints, 1 or more. @throws UsageError */
export function readCount(flag: string, value: string): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new UsageError(`${flag} takes a number, not "${value}"`);
}
