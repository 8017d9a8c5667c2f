import type { Approval, Client } from '../client/index.ts';
import { shortDigest, whoDecides } from '../dev/run-lines/describe-waiting.ts';
import { own } from '../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from './input/api-access.ts';
import { EXIT, UsageError } from './line/command.ts';
import { defineCommand } from './line/define-command.ts';
import { option, text, textOr } from './line/flags.ts';
import { NO_OPERANDS } from './line/operands.ts';
import { formatTable } from './output/table.ts';

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
  about: `Lists approvals, the newest first: who may decide what, with which arguments. The digest names what an approval
    shows; "holdfast approve ID --digest DIGEST" decides nothing else.`,
  flags: {
    run: text('RUN', 'of one run'),
    status: textOr('pending', 'STATUS', 'pending, approved, rejected, expired or canceled'),
    ...accessFlags('approver'),
    json: option('prints the approvals as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const status = own<Approval['status']>(STATUSES, values.status);
    if (status === undefined)
      throw new UsageError(`--status takes ${Object.keys(STATUSES).join(', ')}, not "${values.status}"`);
    const found = await listAll(await openClient(values, terminal), { runId: values.run, status });
    terminal.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : toTable(found));
    if (!values.json) terminal.stderr.write(toHint(found, status));
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

function toTable(found: readonly Approval[]): string {
  if (found.length === 0) return '';
  const rows = found.map(({ id, digest, title, tool = '', args, policy, requestedBy, expiresAt }) => [
    id,
    shortDigest(digest),
    title,
    `${tool}${args === null ? '' : JSON.stringify(args)}`,
    requestedBy,
    whoDecides(policy),
    expiresAt,
  ]);
  return formatTable(['ID', 'DIGEST', 'ASKS', 'WITH', 'FOR', 'DECIDED BY', 'UNTIL'], rows);
}

function toHint(found: readonly Approval[], status: Approval['status']): string {
  if (found.length === 0) return `No approval is ${status}.\n`;
  return status === 'pending' ? 'Decide: npx holdfast approve ID --digest DIGEST, or reject ID --reason "…"\n' : '';
}
