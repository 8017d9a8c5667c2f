import { parseArgs } from 'node:util';
import { setup as provideWorkflow } from '../support/servers/provide-workflow.ts';
import { createRandom } from '../support/builders/random.ts';
import { EACH_TURNS } from './cases.ts';
import { readTau2 } from './data.ts';
import { SHOP_KINDS, playTau2 } from './play-tau2.ts';
import type { Row, Tau2Options } from './play-tau2.ts';
import { VARIANTS } from './variants.ts';

/* `npm run tau2`: plays the retail tasks of τ²-bench, and prints a table. */

const HELP = `npm run tau2 -- --data DIR [--tasks N] [--variant NAME]... [--shop KIND]... [--turns KIND]...
                  [--seed N] [--at-once N]

The retail tasks of τ²-bench (sierra-research/tau2-bench, MIT): an agent serves customers of a shop. A scripted model makes the
calls of each task, people approve its writes, and meanwhile processes are killed, answers dropped, decisions changed.
After each task the shop must have the expected records, each write was made once, and each decision is recorded once.

  --data DIR       the folder with tasks.json, db.json, expected.json and policy.md (TAU2_DATA)
  --tasks N        how many tasks are played, chosen by the seed (all of them)
  --variant NAME   ${Object.keys(VARIANTS).join('; ')} (all)
  --shop KIND      ${SHOP_KINDS.join('; ')} (the first two; the last is a control that has to fail)
  --turns KIND     ${EACH_TURNS.join('; ')} (both)
  --seed N         chooses moments, writes and changes (1)
  --at-once N      how many tasks are played at a time (12)

The last line is "N passed, N failed". The exit code is 0 if nothing has failed, 1 if something has, 2 if the arguments
can't be understood.
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function understand(): Promise<Tau2Options | null> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: process.env['TAU2_DATA'] ?? '' },
      tasks: { type: 'string', default: '1000000' },
      variant: { type: 'string', multiple: true, default: Object.keys(VARIANTS) },
      shop: { type: 'string', multiple: true, default: SHOP_KINDS.slice(0, 2) },
      turns: { type: 'string', multiple: true, default: [...EACH_TURNS] },
      seed: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: '12' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  if (values.data === '') throw new RangeError('--data is missing');
  const data = await readTau2(values.data);
  const seed = wholeNumber('seed', values.seed);
  return {
    data,
    tasks: createRandom(seed).shuffle(data.tasks).slice(0, wholeNumber('tasks', values.tasks)),
    shops: chosen('shop', SHOP_KINDS, values.shop),
    turns: chosen('turns', EACH_TURNS, values.turns),
    variants: chosen('variant', Object.keys(VARIANTS), values.variant),
    seed,
    atOnce: wholeNumber('at-once', values['at-once']),
    onRow: (row) => say(toLine(row)),
    onFinding: ({ caseId, runIds, text }) => say(`  ${caseId} (${runIds.join(', ')}): ${text}`),
  };
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new RangeError(`--${name} takes a whole number from 1 on, not "${text}"`);
}

function chosen<T extends string>(name: string, known: readonly T[], wanted: readonly string[]): readonly T[] {
  const unknown = wanted.find((text) => !known.some((one) => one === text));
  if (unknown !== undefined) throw new RangeError(`--${name} takes ${known.join('; ')}, not "${unknown}"`);
  return known.filter((one) => wanted.includes(one));
}

/** A row as a line of a Markdown table. */
function toLine({ variant, shop, turns, cases, failed, kills, writes, seconds }: Row): string {
  return `| ${[variant, shop, turns, cases, cases - failed, writes, kills, `${seconds} s`].join(' | ')} |`;
}

async function main(): Promise<number> {
  try {
    const understood = await understand();
    if (!understood) {
      process.stdout.write(HELP);
      return 0;
    }
    say('| variant | shop | turns | cases | passed | writes | kills | time |');
    say('| --- | --- | --- | --- | --- | --- | --- | --- |');
    const replay = await provideWorkflow();
    const rows = await playTau2(understood);
    await replay();
    const failed = rows.reduce((sum, row) => sum + row.failed, 0);
    say(`${rows.reduce((sum, row) => sum + row.cases, 0) - failed} passed, ${failed} failed`);
    return failed > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return 2;
  }
}

process.exitCode = await main();
