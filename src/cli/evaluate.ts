import { writeFile } from 'node:fs/promises';
import { loadConfig, parseConfig } from '../config/load-config.ts';
import type { GraphDefinition } from '../graph/definition/index.ts';
import { isDefinition } from '../graph/definition/index.ts';
import { didYouMean, messageOf, own } from '../graph/values/index.ts';
import { readAccess } from './api-access.ts';
import { createApiClient } from './api-client.ts';
import { EXIT, UsageError } from './command.ts';
import type { Command, Terminal } from './command.ts';
import { findConfig } from './read-catalog.ts';
import { readDefinition } from './read-definition.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast eval FILE… [flags]

Plays recorded runs of "holdfast promote" (.json) and data sets (.jsonl), and says what is not as expected. Offline it
calls nothing and costs nothing: models, tools and people answer as recorded, or as the lines of a data set say.

  --graph FILE       the graph of data sets; recorded runs play it in place of their own
  --outcome          of recorded runs only status, path, output and error count, not each event
  --config FILE      the configuration for data sets (default: HOLDFAST_CONFIG, or holdfast.config.ts or .json here)
  --no-config        reads none
  --reporter NAME    table (default), json or junit
  --out FILE         writes the report to a file instead of standard output

  --live             runs all on a Holdfast that is running, with its models and tools
  --trials N         so many times each (default: 1), and gives the pass rate with its 95% interval
  --min-rate RATE    the share of trials that has to pass, from 0 to 1 (default: 1)
  --url, --token, --tokens-file, --as   as for "holdfast run"

Exit code: 0 all as expected; 1 not all; 2 wrong usage, or a file that can't be read; 6 the API can't be reached, or
refuses.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

const FLAGS = {
  graph: text,
  outcome: flag,
  config: text,
  'no-config': flag,
  reporter: { ...text, default: 'table' },
  out: text,
  live: flag,
  trials: { ...text, default: '1' },
  'min-rate': { ...text, default: '1' },
  url: text,
  token: text,
  'tokens-file': text,
  as: { ...text, default: 'user' },
} as const;

type Flags = ReturnType<typeof readFlags<typeof FLAGS>>['values'];

export const evaluate: Command = {
  summary: 'play recorded runs and data sets, and say what is not as expected',
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = readFlags(args, FLAGS);
    if (positionals.length === 0) throw new UsageError('eval takes at least one file');
    const [{ REPORTERS }, { readSubjects }, { hasPassed }] = await Promise.all([
      import('./evaluation/reporters.ts'),
      import('./evaluation/subject.ts'),
      import('./evaluation/result.ts'),
    ]);
    const report = own(REPORTERS, values.reporter);
    if (!report)
      throw new UsageError(
        `There is no reporter "${values.reporter}".${didYouMean(values.reporter, Object.keys(REPORTERS))}`,
      );
    const graph = values.graph === undefined ? null : await readGraph(values.graph);
    const subjects = (await Promise.all(positionals.map((file) => readSubjects(file, graph)))).flat();
    const evaluateOne = await toEvaluator(values, graph, terminal);
    const results = [];
    for (const subject of subjects) results.push(await evaluateOne(subject));
    await print(report(results), values.out, terminal);
    return results.every(hasPassed) ? EXIT.done : EXIT.failed;
  },
};

async function toEvaluator(values: Flags, graph: GraphDefinition | null, terminal: Terminal) {
  const { live, offline } = await import('./evaluation/evaluators.ts');
  if (!values.live) return offline({ graph, config: await readConfig(values, terminal), byOutcome: values.outcome });
  return live({
    client: createApiClient(await readAccess(values, terminal)),
    graph,
    trials: readNumber('trials', values.trials, (number) => Number.isInteger(number) && number >= 1),
    minRate: readNumber('min-rate', values['min-rate'], (number) => number >= 0 && number <= 1),
  });
}

async function readConfig(values: Flags, terminal: Terminal) {
  const file = values['no-config'] ? undefined : findConfig(values.config, terminal);
  if (file === undefined) return parseConfig('no configuration', {});
  try {
    return await loadConfig(file);
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

async function readGraph(file: string): Promise<GraphDefinition> {
  const { content } = await readDefinition(file);
  if ('fault' in content) throw new UsageError(`${file}:${content.fault.line}: ${content.fault.message}`);
  if (isDefinition(content.definition)) return content.definition;
  throw new UsageError(`${file} is no graph definition`);
}

function readNumber(name: string, value: string, isGood: (number: number) => boolean): number {
  const number = Number(value);
  if (value.trim() !== '' && isGood(number)) return number;
  throw new UsageError(`--${name} can't be ${value}`);
}

async function print(report: string, file: string | undefined, { stdout }: Terminal): Promise<void> {
  if (file === undefined) return void stdout.write(report);
  try {
    await writeFile(file, report);
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${messageOf(error)}`, { cause: error });
  }
}
