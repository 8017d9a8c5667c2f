import type { Reassignment } from '../../client/index.ts';
import { whoDecides } from '../../graph/wording/index.ts';
import { API_EXITS, openClient } from '../input/api-access.ts';
import { UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { APPROVAL_FLAGS, APPROVER, reportApproval } from './report-approval.ts';

export const reassign = defineCommand({
  name: 'reassign',
  summary: 'give an approval to other people',
  operands: oneOperand('ID', 'the id of one approval'),
  about: `Gives a pending approval to other people, who decide from then on in place of those before. What else its policy
    says stays: how many have to decide, and if they have to say why.`,
  flags: {
    roles: text('NAMES', 'whoever has one of these roles, with commas between them'),
    users: text('NAMES', 'these people, with commas between them'),
    ...APPROVAL_FLAGS,
  },
  exits: { 0: 'reassigned', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const to: Reassignment = { ...names('roles', values.roles), ...names('users', values.users) };
    if (Object.keys(to).length === 0)
      throw new UsageError('Who decides now? Give --roles NAMES, --users NAMES or both');
    const { approvals } = await openClient(values, terminal, APPROVER);
    const approval = await approvals.reassign(id, to);
    return reportApproval(
      approval,
      { ...values, line: `${id} is decided by ${whoDecides(approval.policy)}` },
      terminal,
    );
  },
});

function names(key: 'roles' | 'users', list: string | undefined): Reassignment {
  if (list === undefined) return {};
  const given = list.split(',').map((name) => name.trim());
  return { [key]: given.filter((name) => name !== '') };
}
