import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { readCountFlag } from '../input/read-flags.ts';
import { EXIT, UsageError, defineCommand, oneOperand, switchFlag, textFlag } from '../line/command.ts';
import { formatStep } from '../output/run-texts.ts';
import { paintFor } from '../output/style.ts';
import type { Paint } from '../output/style.ts';
import { formatLocalTime, zoneName } from '../output/times.ts';
import { createEventFormatter, toneOfEvent } from '../../wording/index.ts';
import type { RunEvent } from '../../graph/journal/index.ts';

/* The commands that print what a run has recorded: its events and its values. */

const MAX_PAGE = 1_000;

export const historyCommand = defineCommand({
  name: 'history',
  summary: 'print what has happened to a run',
  operands: oneOperand('RUN', 'the id of one run'),
  about: `Prints the events of a run in order: the number of the event, its local time, the number of its superstep from 0, and
    what has happened.`,
  flags: {
    follow: switchFlag('goes on until the run has ended'),
    after: textFlag('SEQ', 'only events after the one with this number'),
    last: textFlag('N', 'so many lines at most, the last ones'),
    ...accessFlags(),
    json: switchFlag('prints whole events, one a line'),
  },
  exits: { 0: 'printed', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const after = readAfterFlag(values.after);
    const last = values.last === undefined ? Infinity : readCountFlag('--last', values.last);
    if (values.follow && values.last !== undefined) throw new UsageError('--last goes without --follow');
    const { runs } = await openClient(values, terminal);
    const events = values.follow ? runs.follow(id) : runs.history(id, { limit: MAX_PAGE });
    const paint = paintFor(terminal.stdout, terminal.env);
    const format = values.json ? formatAsJson : createEventLineFormatter(paint);
    let heading = values.json ? '' : `${paint('heading', eventHeading())}\n`;
    const print = (line: string): void => {
      terminal.stdout.write(`${heading}${line}\n`);
      heading = '';
    };
    const kept: string[] = [];
    // Skipped events are formatted, too, because the lines of later ones depend on them.
    for await (const event of events) {
      const line = format(event);
      if (line === null || event.seq <= after) continue;
      if (last === Infinity) print(line);
      else kept.splice(0, kept.push(line) - last);
    }
    for (const line of kept) print(line);
    return EXIT.done;
  },
});

/** @throws UsageError */
function readAfterFlag(given: string = '0'): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new UsageError(`--after takes the number of an event, not "${given}"`);
}

function formatAsJson(event: RunEvent): string {
  return JSON.stringify(event);
}

const WIDTHS = { seq: 4, at: 23, step: 4 } as const;

function eventHeading(): string {
  const time = `TIME (${zoneName()})`;
  return ['SEQ'.padStart(WIDTHS.seq), time.padEnd(WIDTHS.at), 'STEP'.padStart(WIDTHS.step), 'EVENT'].join('  ');
}

function createEventLineFormatter(paint: Paint): (event: RunEvent) => string | null {
  const format = createEventFormatter();
  return (event) => {
    const text = format(event);
    if (text === null) return null;
    const head = [String(event.seq).padStart(WIDTHS.seq), formatLocalTime(event.at), formatStep(event.step)];
    return `${paint('quiet', head.join('  '))}  ${paint(toneOfEvent(event), text)}`;
  };
}

export const stateCommand = defineCommand({
  name: 'state',
  summary: 'print the values of the channels of a run',
  operands: oneOperand('RUN', 'the id of one run'),
  about: `Prints the values of the channels of a run as JSON, now or at a checkpoint, and on standard error where the run
    stands.`,
  flags: {
    checkpoint: textFlag('ID', 'the values at this checkpoint, as "holdfast checkpoints" lists them'),
    ...accessFlags(),
    json: switchFlag('prints the whole state: values, next nodes, checkpoint, pending writes'),
  },
  exits: { 0: 'printed', ...API_EXITS },
  async action({ values, given: id }, { stdout, stderr, env }) {
    const { runs } = await openClient(values, { env });
    const { etag: _, ...state } = await runs.state(id, values.checkpoint);
    stdout.write(`${JSON.stringify(values.json ? state : state.values, null, 2)}\n`);
    if (values.json) return EXIT.done;
    const where = state.checkpoint === null ? 'Before its first checkpoint' : `At checkpoint ${state.checkpoint}`;
    stderr.write(`${where}; next: ${state.next.length === 0 ? 'nothing' : state.next.join(', ')}\n`);
    return EXIT.done;
  },
});
