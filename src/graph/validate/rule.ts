import type { GraphIssue } from '../definition/definition.ts';
import type { ValidationSubject } from './subject.ts';

export type GraphIssues<Code extends string = string> = readonly GraphIssue<Code>[];

/** Finds all issues of one kind in a definition. */
export interface ValidationRule<Code extends string = string> {
  /** The codes of the rule's issues. */
  readonly codes: readonly Code[];
  readonly find: (subject: ValidationSubject) => GraphIssues<NoInfer<Code>>;
}

/** Makes a rule. The type check requires that it names each code that it reports. */
export function defineRule<const Code extends string>(rule: ValidationRule<Code>): ValidationRule<Code> {
  return rule;
}

export function error<const Code extends string>(code: Code, path: string, message: string): GraphIssue<Code> {
  return { code, severity: 'error', path, message };
}

export function issueWarning<const Code extends string>(
  code: Code,
  path: string,
  message: string,
  hint: string,
): GraphIssue<Code> {
  return { code, severity: 'warning', path, message, hint };
}
