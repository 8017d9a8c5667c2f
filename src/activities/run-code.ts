import type { ValueReply } from '../graph/effect.ts';
import type { RunErrorCode } from '../graph/errors.ts';
import { fromCode } from './failures.ts';
import { toResult } from './to-result.ts';

/** Runs code that a call asks for. What it throws may be tried again, what it returns has to be JSON. @throws CallError */
export async function runCode(code: RunErrorCode, work: () => unknown): Promise<ValueReply> {
  try {
    return { kind: 'value', value: toResult(code, await work()) };
  } catch (error) {
    throw fromCode(code, error);
  }
}
