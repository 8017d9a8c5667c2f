import { openClient } from '../input/api-access.ts';
import { defineCommand } from '../line/define-command.ts';
import { CONTROL_FLAGS, OF_RUN, REASON_FLAG, reasonOf, reportRun } from './control.ts';

export const cancel = defineCommand({
  ...OF_RUN,
  name: 'cancel',
  summary: 'end a run as canceled',
  about: 'Ends a run as canceled. What its graph says is to be undone is undone.',
  flags: { reason: REASON_FLAG, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    const client = await openClient(values, terminal);
    const run = await client.runs.cancel(id, reasonOf(values));
    return await reportRun({ client, run }, values, terminal);
  },
});
