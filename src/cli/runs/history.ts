import { eventInWords } from '../../graph/wording/index.ts';
import type { RunEvent } from '../../graph/journal/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';

export const history = defineCommand({
  name: 'history',
  summary: 'print what has happened to a run',
  operands: oneOperand('RUN', 'the id of one run'),
  about: 'Prints the events of a run in order: number, time, superstep, and what has happened.',
  flags: {
    follow: option('goes on until the run has ended'),
    ...accessFlags(),
    json: option('prints whole events, one a line'),
  },
  exits: { 0: 'printed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const { runs } = await openClient(values, terminal);
    const events = values.follow ? runs.follow(id) : runs.history(id, { limit: 1_000 });
    for await (const event of events) {
      const line = values.json ? JSON.stringify(event) : toLine(event);
      if (line !== null) terminal.stdout.write(`${line}\n`);
    }
    return EXIT.done;
  },
});

function toLine(event: RunEvent): string | null {
  const said = eventInWords(event);
  if (said === null) return null;
  return `${String(event.seq).padStart(4)}  ${event.at}  ${String(event.step).padStart(3)}  ${said}`;
}
