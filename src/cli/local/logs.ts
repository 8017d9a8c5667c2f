import { logFileIn } from '../../dev/data-folder.ts';
import { EXIT, UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text, textOr } from '../line/flags.ts';
import { formatLogLine, LEVELS } from './format-log-line.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import { readText } from '../input/read-definition.ts';
import { DATA_DIR_FLAG } from './stack-flags.ts';

export const logs = defineCommand({
  name: 'logs',
  summary: 'print the log of a stack on this machine',
  operands: NO_OPERANDS,
  about: 'Prints the last lines of the log of a local stack, with the stacks of errors, for people to read.',
  flags: {
    level: textOr('info', 'LEVEL', `the least level: ${Object.keys(LEVELS).join(', ')}`),
    run: text('RUN', 'only lines that name this run'),
    last: textOr('50', 'N', 'so many lines'),
    'data-dir': DATA_DIR_FLAG,
    'log-file': text('FILE', 'the log, if it is elsewhere'),
  },
  exits: { 0: 'printed' },
  async action({ values }, { stdout }) {
    const least = Object.entries(LEVELS).find(([name]) => name === values.level)?.[1];
    if (least === undefined)
      throw new UsageError(`--level takes ${Object.keys(LEVELS).join(', ')}, not "${values.level}"`);
    const last = Number(values.last);
    if (!Number.isInteger(last) || last < 1) throw new UsageError(`--last takes a number, not "${values.last}"`);
    const lines = (await readText(values['log-file'] ?? logFileIn(values['data-dir']))).split('\n');
    const wanted = lines.filter((line) => values.run === undefined || line.includes(values.run));
    const shown = wanted.flatMap((line) => formatLogLine(line, least) ?? []);
    for (const line of shown.slice(-last)) stdout.write(`${line}\n`);
    return EXIT.done;
  },
});
