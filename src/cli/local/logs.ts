import { messageOf } from '../../graph/values/index.ts';
import { logFileIn } from '../../dev/data-folder.ts';
import { readCount } from '../input/read-count.ts';
import { EXIT, UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { option, text, textOr } from '../line/flags.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import { followLog } from './follow-log.ts';
import { formatLogLine, LEVELS } from './format-log-line.ts';
import { openLog } from './growing-log.ts';
import type { GrowingLog } from './growing-log.ts';
import { DATA_DIR_FLAG } from './stack-flags.ts';

export const logs = defineCommand({
  name: 'logs',
  summary: 'print the log of a stack on this machine',
  operands: NO_OPERANDS,
  about: 'Prints the last lines of the log of a local stack, with the stacks of errors, for people to read.',
  flags: {
    follow: option('goes on with what is added, until Ctrl-C'),
    level: textOr('info', 'LEVEL', `the least level: ${Object.keys(LEVELS).join(', ')}`),
    run: text('RUN', 'only lines that name this run'),
    last: textOr('50', 'N', 'so many lines'),
    'data-dir': DATA_DIR_FLAG,
    'log-file': text('FILE', 'the log, if it is elsewhere'),
    json: option('prints the lines as they are in the log, which are JSON'),
  },
  exits: { 0: 'printed' },
  async action({ values }, { stdout, interrupted }) {
    const format = toFormat(values);
    const last = readCount('--last', values.last);
    const say = (lines: readonly string[]): void => {
      for (const line of lines) stdout.write(`${line}\n`);
    };
    const log = await openOrRefuse(values['log-file'] ?? logFileIn(values['data-dir']));
    try {
      say((await log.read()).flatMap(format).slice(-last));
      if (values.follow) await followLog(log, (lines) => say(lines.flatMap(format)), interrupted());
    } finally {
      await log.close();
    }
    return EXIT.done;
  },
});

interface Wanted {
  readonly level: string;
  readonly run?: string | undefined;
  readonly json: boolean;
}

/** @returns a function that formats a line of the log, or leaves it out. @throws UsageError */
function toFormat({ level, run, json }: Wanted): (line: string) => readonly string[] {
  const least = Object.entries(LEVELS).find(([name]) => name === level)?.[1];
  if (least === undefined) throw new UsageError(`--level takes ${Object.keys(LEVELS).join(', ')}, not "${level}"`);
  return (line) => {
    if (run !== undefined && !line.includes(run)) return [];
    const formatted = formatLogLine(line, least);
    if (formatted === null) return [];
    return [json ? line : formatted];
  };
}

async function openOrRefuse(file: string): Promise<GrowingLog> {
  try {
    return await openLog(file);
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${messageOf(error)}`, { cause: error });
  }
}
