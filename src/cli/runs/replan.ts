import { openClient } from '../input/api-access.ts';
import { defineCommand } from '../line/define-command.ts';
import { twoOperands } from '../line/operands.ts';
import { CONTROL_EXITS, CONTROL_FLAGS, reportRun, VALUES_FLAG, valuesOf } from './control.ts';

export const replan = defineCommand({
  name: 'replan',
  summary: 'let a run go on at another node',
  operands: twoOperands('RUN NODE', 'the id of one run and the name of one node'),
  about: `Lets a run go on at one node only. It has to wait, to be paused or to have failed; what it waits for is given
    up. Whoever passes an approval by this has to be one who may decide it.`,
  flags: { values: VALUES_FLAG, ...CONTROL_FLAGS },
  exits: CONTROL_EXITS,
  async action({ values, given: [id, node] }, terminal) {
    const body = { node, ...(await valuesOf(values)) };
    const client = await openClient(values, terminal);
    const run = await client.runs.replan(id, body);
    return await reportRun({ client, run }, values, terminal);
  },
});
