import type { Approval, Decision } from '../../client/index.ts';
import { approvalInWords } from '../../graph/wording/index.ts';
import { API_EXITS, openClient } from '../input/api-access.ts';
import { RefusedError, UsageError } from '../line/command.ts';
import type { Command } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { readJson } from '../input/read-json.ts';
import { APPROVAL_FLAGS, APPROVER, reportApproval } from './report-approval.ts';

export const approve = decideCommand('approve', 'approve what waits for a decision');
export const reject = decideCommand('reject', 'reject what waits for a decision');

function decideCommand(decision: Decision['decision'], summary: string): Command {
  return defineCommand({
    name: decision,
    summary,
    operands: oneOperand('ID', 'the id of one approval'),
    about: `Shows what is asked, and decides it. It decides only what it has shown, or what has the digest that is
      given: an approval that shows something else by then is left alone.`,
    flags: {
      reason: text('TEXT', 'why; it is recorded'),
      args: text('JSON', 'other arguments than those that are proposed, or @FILE that holds them'),
      values: text('JSON', 'the values that the approval asks for, or @FILE that holds them'),
      digest: text('DIGEST', 'of what was seen, or its first 8 digits or more'),
      ...APPROVAL_FLAGS,
    },
    exits: { 0: 'decided', ...API_EXITS },
    async action({ values, given: id }, terminal) {
      const client = await openClient(values, terminal, APPROVER);
      const seen = await client.approvals.get(id);
      requireDigest(seen, values.digest);
      terminal.stderr.write(approvalInWords({ ...seen, args: seen.args ?? null, details: seen.details ?? null }));
      const decided = await client.approvals.decide(seen, {
        decision,
        ...(values.reason !== undefined && { reason: values.reason }),
        ...(values.args !== undefined && { args: await readJson('--args', values.args) }),
        ...(values.values !== undefined && { values: await readJson('--values', values.values) }),
      });
      return reportApproval(decided, { ...values, line: summarize(decided) }, terminal);
    },
  });
}

/** A shorter beginning of a digest may be that of other content. */
const LEAST_DIGITS = 8;

function requireDigest({ id, digest }: Approval, wanted: string | undefined): void {
  if (wanted === undefined) return;
  if (!/^[0-9a-f]*$/.test(wanted) || wanted.length < LEAST_DIGITS)
    throw new UsageError(
      `--digest takes ${LEAST_DIGITS} hexadecimal digits or more, as "holdfast approvals" shows them`,
    );
  if (!digest.startsWith(wanted))
    throw new RefusedError(
      `${id} shows something else by now: its digest is ${digest}. See it by "holdfast approvals"`,
    );
}

function summarize({ id, status, decisions, policy: { quorum = 1 } }: Approval): string {
  const missing = status === 'pending' ? `, ${decisions.length} of ${quorum} have decided` : '';
  return `${id} is ${status}${missing}`;
}
