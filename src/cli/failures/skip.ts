import { openClient } from '../input/api-access.ts';
import { readJson } from '../input/read-json.ts';
import { UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { CONTROL_FLAGS, OF_RUN, reportRun } from '../runs/control.ts';
import { WHICH_FLAGS, whichIntervention } from './which-intervention.ts';

export const skip = defineCommand({
  ...OF_RUN,
  name: 'skip',
  summary: 'go on without a node that has failed',
  about: 'Goes on without a node or call that waits for a person, with an output of yours in its place.',
  flags: { output: text('JSON', 'its output, or @FILE that holds it'), ...WHICH_FLAGS, ...CONTROL_FLAGS },
  async action({ values, given: id }, terminal) {
    if (values.output === undefined) throw new UsageError('Which output takes its place? Give --output JSON');
    const output = await readJson('--output', values.output);
    const client = await openClient(values, terminal);
    const run = await client.runs.skip(id, { ...whichIntervention(values), output });
    return await reportRun({ client, run }, values, terminal);
  },
});
