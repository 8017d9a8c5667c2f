import { openClient } from '../input/api-access.ts';
import { defineCommand } from '../line/define-command.ts';
import { CONTROL_FLAGS, OF_RUN, REASON_FLAG, reasonOf, reportRun } from '../runs/control.ts';
import { WHICH_FLAGS, whichIntervention } from './which-intervention.ts';

export const fail = defineCommand({
  ...OF_RUN,
  name: 'fail',
  summary: 'give up a node that has failed',
  about: 'Gives up a node or call that waits for a person. The run fails with it.',
  flags: { reason: REASON_FLAG, ...WHICH_FLAGS, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    const client = await openClient(values, terminal);
    const run = await client.runs.fail(id, { ...whichIntervention(values), ...reasonOf(values) });
    return await reportRun({ client, run }, values, terminal);
  },
});
