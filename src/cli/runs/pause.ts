import { openClient } from '../input/api-access.ts';
import { defineCommand } from '../line/define-command.ts';
import { CONTROL_FLAGS, OF_RUN, REASON_FLAG, reasonOf, reportRun } from './control.ts';

export const pause = defineCommand({
  ...OF_RUN,
  name: 'pause',
  summary: 'stop a run for now',
  about: `Stops a run after the superstep that it is in; a run that waits stops at once. Decisions are still taken.
    "holdfast resume" lets it go on.`,
  flags: { reason: REASON_FLAG, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    const client = await openClient(values, terminal);
    const run = await client.runs.pause(id, reasonOf(values));
    return await reportRun({ client, run }, values, terminal);
  },
});
