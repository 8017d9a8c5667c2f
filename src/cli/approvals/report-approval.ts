import type { Approval } from '../../client/index.ts';
import { accessFlags } from '../input/api-access.ts';
import { EXIT } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { option } from '../line/flags.ts';

/** Whose token commands take that concern approvals. */
export const APPROVER = 'approver';

/** The flags of commands that do something about one approval. */
export const APPROVAL_FLAGS = { ...accessFlags(APPROVER), json: option('prints the approval as JSON') } as const;

/** Prints one line about an approval, or all of it as JSON. @returns the exit code */
export function reportApproval(
  approval: Approval,
  { line, json }: { readonly line: string; readonly json: boolean },
  { stdout }: Pick<Terminal, 'stdout'>,
): number {
  stdout.write(json ? `${JSON.stringify(approval, null, 2)}\n` : `${line}\n`);
  return EXIT.done;
}
