import { openClient } from '../input/api-access.ts';
import { LIMITS_FLAG, readLimits } from '../input/limits.ts';
import { defineCommand } from '../line/define-command.ts';
import { CONTROL_FLAGS, OF_RUN, reportRun } from '../runs/control.ts';
import { WHICH_FLAGS, whichIntervention } from './which-intervention.ts';

export const retry = defineCommand({
  ...OF_RUN,
  name: 'retry',
  summary: 'do again what has failed',
  about: 'Does a node or call again that waits for a person, or the nodes that a failed run has failed at.',
  flags: { ...LIMITS_FLAG, ...WHICH_FLAGS, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    const limits = await readLimits(values);
    const client = await openClient(values, terminal);
    const run = await client.runs.retry(id, { ...whichIntervention(values), ...limits });
    return await reportRun({ client, run }, values, terminal);
  },
});
