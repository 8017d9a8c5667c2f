import { openClient } from '../input/api-access.ts';
import { readJson } from '../input/read-json.ts';
import { UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { CONTROL_FLAGS, OF_RUN, reportRun } from './control.ts';

export const signal = defineCommand({
  ...OF_RUN,
  name: 'signal',
  summary: 'give an event to a run',
  about: 'Gives an event to a node that waits for it, now or later.',
  flags: {
    event: text('NAME', 'the name of the event'),
    payload: text('JSON', 'what comes with it, or @FILE that holds it'),
    ...CONTROL_FLAGS,
  },
  async action({ values, given: id }, terminal) {
    const { event, payload } = values;
    if (event === undefined) throw new UsageError('Which event? Give --event NAME');
    const body = { event, ...(payload !== undefined && { payload: await readJson('--payload', payload) }) };
    const client = await openClient(values, terminal);
    const run = await client.runs.signal(id, body);
    return await reportRun({ client, run }, values, terminal);
  },
});
