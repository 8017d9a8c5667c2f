import { openClient } from '../input/api-access.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { CONTROL_FLAGS, OF_RUN, reportRun, VALUES_FLAG, valuesOf } from './control.ts';

export const resume = defineCommand({
  ...OF_RUN,
  name: 'resume',
  summary: 'let a paused run go on',
  about: 'Lets a run go on from a pause or a breakpoint.',
  flags: {
    values: VALUES_FLAG,
    checkpoint: text('ID', 'only if the run stands at this checkpoint'),
    ...CONTROL_FLAGS,
  },
  async action({ values, given: id }, terminal) {
    const { checkpoint } = values;
    const body = { ...(await valuesOf(values)), ...(checkpoint !== undefined && { checkpoint }) };
    const client = await openClient(values, terminal);
    const run = await client.runs.resume(id, body);
    return await reportRun({ client, run }, values, terminal);
  },
});
