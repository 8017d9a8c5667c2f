import type { Explanation } from '../../client/index.ts';
import { escapeInvisible } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';

export const explain = defineCommand({
  name: 'explain',
  summary: 'say why a run waits or has stopped',
  operands: oneOperand('RUN', 'the id of one run'),
  about: `Says why a run waits or has stopped, since when, what is left of its limits, and who can do what now, with the
    commands. What you may not do has no command.`,
  flags: { ...accessFlags(), json: option('prints the explanation as JSON') },
  exits: { 0: 'explained', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { runs } = await openClient(values, terminal);
    const explanation = await runs.explain(id);
    terminal.stdout.write(values.json ? `${JSON.stringify(explanation, null, 2)}\n` : toText(explanation));
    return EXIT.done;
  },
});

function toText({ runId, status, since, reasons, budget, deadline, actions }: Explanation): string {
  const left = budget.map(({ limit, allowed, left: rest }) => `${limit} ${rest} of ${allowed}`);
  const lines = [
    `${runId} is ${status} since ${since}`,
    ...reasons.map(({ text }) => `  ${text}`),
    ...(left.length > 0 ? [`  left: ${left.join(', ')}`] : []),
    ...(deadline ? [`  deadline: ${deadline.at ?? 'stands still'}. ${deadline.effect}`] : []),
    ...actions.flatMap(toLines),
  ];
  return lines.map((line) => `${escapeInvisible(line.replaceAll('\n', ' '))}\n`).join('');
}

function toLines({ action, effect, who, allowed, command }: Explanation['actions'][number]): readonly string[] {
  return [`${action}: ${effect}`, allowed ? `  ${command.holdfast}` : `  by ${who}`];
}
