import { parseArgs } from 'node:util';
import { playChaos } from './play-chaos.ts';
import { SINGLE_GRAPHS } from './plans.ts';
import type { Share } from './plans.ts';
import { describeFault, describeReport } from './report.ts';

/* `npm run chaos`: prints its progress, and at the end the results of all runs. */

const HELP = `npm run chaos -- [--runs N] [--seed N] [--at-once N] [--share GRAPH=PART] [--askers N]
                     [--without-claims]

Runs of mixed graphs, in threads and forked too, go on while worker, API, Temporal server and PostgreSQL are killed
(SIGKILL), stopped (SIGSTOP) and restarted, and so is the process in which a worker runs the code of workflows. The code is
bundled once, for all workers. Afterwards all runs are checked, and the histories of all executions replayed.

  --runs N           how many runs are started (100)
  --seed N           chooses runs, decisions, behaviors of the third party, victims and pauses (1)
  --at-once N        how many runs go on at a time (20)
  --share GRAPH=PART so large a part of the runs is of one graph: waits=0.5
  --askers N         how many people query all open runs by Temporal's tools, all the time (0)
  --without-claims   the ledger's claims are switched off: chaos is to find that calls are made twice

The last line is "N passed, N failed". Each run counts as one, and so does each rule about the rows of all runs. A run
has passed when it ended, or waits, as planned; each of its jobs was done once and none is missing; its events are
numbered without gaps; each decision was applied once; its rows say what its workflow says; and its histories replay.
The exit code is 0 if nothing has failed, 1 if something has, 2 if the arguments can't be understood.
`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: '20' },
      share: { type: 'string' },
      askers: { type: 'string', default: '0' },
      'without-claims': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    runs: wholeNumber('runs', values.runs, 1),
    seed: wholeNumber('seed', values.seed, 0),
    atOnce: wholeNumber('at-once', values['at-once'], 1),
    share: values.share === undefined ? null : readShare(values.share),
    askers: wholeNumber('askers', values.askers, 0),
    hasClaims: !values['without-claims'],
    isHelpWanted: values.help,
  };
}

function readShare(text: string): Share {
  const [name, part] = text.split('=');
  const graph = SINGLE_GRAPHS.find((known) => known === name);
  if (graph !== undefined && Number(part) >= 0 && Number(part) <= 1) return { graph, part: Number(part) };
  throw new RangeError(
    `--share takes ${SINGLE_GRAPHS.join(', ')}, with a part from 0 to 1 as in waits=0.5, not "${text}"`,
  );
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new RangeError(`--${name} takes a whole number from ${least} on, not "${text}"`);
}

function readOptions(): ReturnType<typeof readArguments> | null {
  try {
    return readArguments();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return null;
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const given = readOptions();
  if (!given) return 2;
  if (given.isHelpWanted) {
    process.stdout.write(HELP);
    return 0;
  }
  const { runs, seed, hasClaims } = given;
  say(`${runs} runs, seed ${seed}${hasClaims ? '' : ', without claims'}`);
  let over = 0;
  const report = await playChaos({
    ...given,
    onFault: (fault) => say(describeFault(fault)),
    onStory: ({ plan, failure }) =>
      say(`${' '.repeat(10)}${++over} of ${runs} over: ${[plan.job, failure ?? 'well'].join(', ')}`),
  });
  for (const line of describeReport(report)) say(line);
  return report.verdicts.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

process.exitCode = await main();
