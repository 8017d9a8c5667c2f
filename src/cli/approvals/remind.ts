import { API_EXITS, openClient } from '../input/api-access.ts';
import { defineCommand } from '../line/define-command.ts';
import { oneOperand } from '../line/operands.ts';
import { APPROVAL_FLAGS, APPROVER, reportApproval } from './report-approval.ts';

export const remind = defineCommand({
  name: 'remind',
  summary: 'remind of an approval',
  operands: oneOperand('ID', 'the id of one approval'),
  about: 'Reminds those who may decide an approval: webhooks are told. At most once in ten minutes.',
  flags: APPROVAL_FLAGS,
  exits: { 0: 'reminded', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { approvals } = await openClient(values, terminal, APPROVER);
    const approval = await approvals.remind(id);
    return reportApproval(approval, { ...values, line: `${id} was reminded of` }, terminal);
  },
});
