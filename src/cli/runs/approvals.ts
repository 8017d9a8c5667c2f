import type { Approval, Reassignment, Decision } from '../../client/index.ts';
import { accessFlags, API_EXITS, openClient } from '../input/api-access.ts';
import { LIST_FLAGS, readList, readListFlags } from '../input/list-flags.ts';
import { printList } from '../output/lists.ts';
import {
  EXIT,
  UsageError,
  RefusedError,
  switchFlag,
  textFlag,
  textFlagOr,
  defineCommand,
  NO_OPERANDS,
  twoOperands,
  oneOperand,
} from '../line/command.ts';
import type { Terminal, Command } from '../line/command.ts';
import { decisionsOf, formatApproval, holdfastCommand, whoDecides } from '../../wording/index.ts';
import { escapeInvisible } from '../../graph/values/index.ts';
import { readChoiceFlag, readJsonFlag } from '../input/read-flags.ts';

/** The default entry of the tokens file for commands on approvals. */
export const APPROVER = 'approver';

/** The flags of commands that change one approval. */
const APPROVAL_FLAGS = { ...accessFlags(APPROVER), json: switchFlag('prints the approval as JSON') } as const;

/** Prints one line about an approval, or the complete approval as JSON. @returns the exit code */
function reportApproval(approval: Approval, line: string, json: boolean, { stdout }: Pick<Terminal, 'stdout'>): number {
  stdout.write(json ? `${JSON.stringify(approval, null, 2)}\n` : `${line}\n`);
  return EXIT.done;
}

const APPROVAL_STATUSES = {
  pending: 'pending',
  approved: 'approved',
  rejected: 'rejected',
  expired: 'expired',
  canceled: 'canceled',
} as const;

export const approvalsCommand = defineCommand({
  name: 'approvals',
  summary: 'list what waits for a decision',
  operands: NO_OPERANDS,
  about: `Lists approvals, the newest first: who may decide what, with which arguments and details, uncut. The digest in a
    command names what is shown; the command decides nothing else.`,
  flags: {
    run: textFlag('RUN', 'of one run'),
    status: textFlagOr('pending', 'STATUS', 'pending, approved, rejected, expired or canceled'),
    ...LIST_FLAGS,
    ...accessFlags(APPROVER),
    json: switchFlag('prints the approvals as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values }, terminal) {
    const status = readChoiceFlag('--status', values.status, APPROVAL_STATUSES);
    const part = readListFlags(values);
    const { approvals } = await openClient(values, terminal, APPROVER);
    const found = await readList(part, (limit) => approvals.list({ runId: values.run, status, limit }));
    const format = (items: readonly Approval[]): string => items.map(formatApprovalDetails).join('\n');
    printList(found, { json: values.json, format, none: `No approval is ${status}.` }, terminal);
    return EXIT.done;
  },
});

function formatApprovalDetails({
  id,
  digest,
  status,
  tool,
  title,
  args,
  details,
  policy,
  requestedBy,
  expiresAt,
}: Approval): string {
  const who = `for ${requestedBy}, decided by ${whoDecides(policy)}`;
  const head = `${id}  ${status === 'pending' ? `until ${expiresAt}` : status}, ${who}\n`;
  const asked = formatApproval({ title, tool, args: args ?? null, details: details ?? null });
  const [approve] = status === 'pending' ? decisionsOf(id, { policy, digest }) : [];
  return `${escapeInvisible(head)}${asked}${approve ? `  ${holdfastCommand(approve)}\n` : ''}`;
}

export const commentCommand = defineCommand({
  name: 'comment',
  summary: 'say something about an approval',
  operands: twoOperands('ID TEXT', 'the id of one approval, and one text in quotes'),
  about: 'Adds a comment to an approval, which whoever may read the run can read. It decides nothing.',
  flags: APPROVAL_FLAGS,
  exits: { 0: 'added', ...API_EXITS },
  async action({ values, given: [id, said] }, terminal) {
    const { approvals } = await openClient(values, terminal, APPROVER);
    const approval = await approvals.comment(id, said);
    const line = `${id}: comment added`;
    return reportApproval(approval, line, values.json, terminal);
  },
});

export const reassignCommand = defineCommand({
  name: 'reassign',
  summary: 'give an approval to other people',
  operands: oneOperand('ID', 'the id of one approval'),
  about: `Gives a pending approval to other people, who decide from then on in place of those before. What else its policy
    says stays: how many have to decide, and if they have to say why.`,
  flags: {
    roles: textFlag('NAMES', 'whoever has one of these roles, with commas between them'),
    users: textFlag('NAMES', 'these people, with commas between them'),
    ...APPROVAL_FLAGS,
  },
  exits: { 0: 'reassigned', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const to: Reassignment = { ...readNewDeciders('roles', values.roles), ...readNewDeciders('users', values.users) };
    if (Object.keys(to).length === 0)
      throw new UsageError('Who decides now? Give --roles NAMES, --users NAMES or both');
    const { approvals } = await openClient(values, terminal, APPROVER);
    const approval = await approvals.reassign(id, to);
    return reportApproval(approval, `${id} is decided by ${whoDecides(approval.policy)}`, values.json, terminal);
  },
});

function readNewDeciders(key: 'roles' | 'users', list: string | undefined): Reassignment {
  if (list === undefined) return {};
  const given = list.split(',').map((name) => name.trim());
  return { [key]: given.filter((name) => name !== '') };
}

export const remindCommand = defineCommand({
  name: 'remind',
  summary: 'remind of an approval',
  operands: oneOperand('ID', 'the id of one approval'),
  about: 'Reminds those who may decide an approval: webhooks are told. At most once in ten minutes.',
  flags: APPROVAL_FLAGS,
  exits: { 0: 'reminded', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { approvals } = await openClient(values, terminal, APPROVER);
    const approval = await approvals.remind(id);
    return reportApproval(approval, `${id} was reminded of`, values.json, terminal);
  },
});

export const approveCommand = decideCommand('approve', 'approve what waits for a decision');
export const rejectCommand = decideCommand('reject', 'reject what waits for a decision');

function decideCommand(decision: Decision['decision'], summary: string): Command {
  return defineCommand({
    name: decision,
    summary,
    operands: oneOperand('ID', 'the id of one approval'),
    about: `Shows what is asked, and decides it. It decides only what it has shown, or what has the digest that is
      given: an approval that shows something else by then is left alone.`,
    flags: {
      reason: textFlag('TEXT', 'why; it is recorded'),
      args: textFlag('JSON', 'other arguments than those that are proposed, or @FILE that holds them'),
      values: textFlag('JSON', 'the values that the approval asks for, or @FILE that holds them'),
      digest: textFlag('DIGEST', 'of what was seen, or its first 8 digits or more'),
      ...APPROVAL_FLAGS,
    },
    exits: { 0: 'decided', ...API_EXITS },
    async action({ values, given: id }, terminal) {
      const client = await openClient(values, terminal, APPROVER);
      const seen = await client.approvals.get(id);
      requireDigest(seen, values.digest);
      terminal.stderr.write(formatApproval({ ...seen, args: seen.args ?? null, details: seen.details ?? null }));
      const decided = await client.approvals.decide(seen, {
        decision,
        ...(values.reason !== undefined && { reason: values.reason }),
        ...(values.args !== undefined && { args: await readJsonFlag('--args', values.args) }),
        ...(values.values !== undefined && { values: await readJsonFlag('--values', values.values) }),
      });
      return reportApproval(decided, formatDecisions(decided), values.json, terminal);
    },
  });
}

/** A shorter prefix of a digest could match other content. */
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

function formatDecisions({ id, status, decisions, policy: { quorum = 1 } }: Approval): string {
  const missing = status === 'pending' ? `, ${decisions.length} of ${quorum} have decided` : '';
  return `${id} is ${status}${missing}`;
}
