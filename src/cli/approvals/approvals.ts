import type { Approval, Client } from '../../client/index.ts';
import { approvalInWords, approveCommand, whoDecides } from '../../graph/wording/index.ts';
import { escapeInvisible } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { readChoice } from '../input/read-choice.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option, text, textOr } from '../line/flags.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import { APPROVER } from './report-approval.ts';

const STATUSES = {
  pending: 'pending',
  approved: 'approved',
  rejected: 'rejected',
  expired: 'expired',
  canceled: 'canceled',
} as const;

export const approvals = defineCommand({
  name: 'approvals',
  summary: 'list what waits for a decision',
  operands: NO_OPERANDS,
  about: `Lists approvals, the newest first: who may decide what, with which arguments and details, uncut. The digest in a
    command names what is shown; the command decides nothing else.`,
  flags: {
    run: text('RUN', 'of one run'),
    status: textOr('pending', 'STATUS', 'pending, approved, rejected, expired or canceled'),
    ...accessFlags(APPROVER),
    json: option('prints the approvals as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const status = readChoice<Approval['status']>('--status', values.status, STATUSES);
    const found = await listAll(await openClient(values, terminal, APPROVER), { runId: values.run, status });
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : found.map(toText).join('\n'));
    if (found.length === 0) terminal.stderr.write(`No approval is ${status}.\n`);
    return EXIT.done;
  },
});

async function listAll(
  client: Client,
  filter: { readonly runId: string | undefined; readonly status: Approval['status'] },
): Promise<readonly Approval[]> {
  const found: Approval[] = [];
  for await (const approval of client.approvals.list({ ...filter, limit: 200 })) found.push(approval);
  return found;
}

function toText({ id, digest, status, tool, title, args, details, policy, requestedBy, expiresAt }: Approval): string {
  const who = `for ${requestedBy}, decided by ${whoDecides(policy)}`;
  const head = `${id}  ${status === 'pending' ? `until ${expiresAt}` : status}, ${who}\n`;
  const asked = approvalInWords({ title, tool, args: args ?? null, details: details ?? null });
  return `${escapeInvisible(head)}${asked}${status === 'pending' ? `  npx ${approveCommand(id, { digest, policy })}\n` : ''}`;
}
