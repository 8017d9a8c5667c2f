import { API_EXITS, openClient } from '../input/api-access.ts';
import { defineCommand } from '../line/define-command.ts';
import { twoOperands } from '../line/operands.ts';
import { APPROVAL_FLAGS, APPROVER, reportApproval } from './report-approval.ts';

export const comment = defineCommand({
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
    return reportApproval(approval, { ...values, line }, terminal);
  },
});
