import type { GraphIssue } from '../definition/definition.ts';
import type { Subject } from './subject.ts';

export type Issues<Code extends string = string> = readonly GraphIssue<Code>[];

/** Finds all issues of one kind in a definition. */
export interface Rule<Code extends string = string> {
  /** The codes of the rule's issues. */
  readonly codes: readonly Code[];
  readonly find: (subject: Subject) => Issues<NoInfer<Code>>;
}

/** Makes a rule. The type check requires that it names each code that it reports. */
export function defineRule<const Code extends string>(rule: Rule<Code>): Rule<Code> {
  return rule;
}

export function error<const Code extends string>(code: Code, path: string, message: string): GraphIssue<Code> {
  return { code, severity: 'error', path, message };
}

export function warning<const Code extends string>(
  code: Code,
  path: string,
  message: string,
  hint: string,
): GraphIssue<Code> {
  return { code, severity: 'warning', path, message, hint };
}
