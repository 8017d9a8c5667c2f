import type { GraphDefinition } from '../../graph/definition/index.ts';
import { didYouMean, own } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT, UsageError, defineCommand, switchFlag, textFlag, textFlagOr, someOperands } from '../line/command.ts';
import type { Terminal, FlagValues } from '../line/command.ts';
import type { Comparison, VersionResults } from './compare.ts';
import type { EvaluationSubject, Evaluator } from './evaluators.ts';
import { CONFIG_FLAG, NO_CONFIG_FLAG, wantsConfig, findConfig, readConfig } from '../input/read-catalog.ts';
import { readGraph, writeText } from '../input/read-definition.ts';

const FLAGS = {
  graph: textFlag('FILE', 'the graph of data sets (.json or .ts); recorded runs play it in place of their own'),
  outcome: switchFlag('of recorded runs only status, path, output and error count, not each event'),
  config: CONFIG_FLAG,
  'no-config': NO_CONFIG_FLAG,
  against: textFlag('FILE', 'another version of the graph: plays the data sets with both, and says which is better'),
  reporter: textFlagOr('table', 'NAME', 'table, json, junit or markdown'),
  out: textFlag('FILE', 'writes the report to a file instead of standard output'),
  junit: textFlag('FILE', 'writes the report as JUnit XML to a file as well'),
  markdown: textFlag('FILE', 'writes the report as Markdown to a file as well'),
  live: switchFlag('runs all on a Holdfast that is running, with its models and tools'),
  trials: textFlag('N', 'so many times each, with --live, and gives the pass rate with its 95% interval (default: 1)'),
  'min-rate': textFlag('RATE', 'the share of trials that has to pass, with --live, from 0 to 1 (default: 1)'),
  ...accessFlags(),
} as const;

type EvaluateFlags = FlagValues<typeof FLAGS>;

/** Flags that apply to live evaluations only. */
const ONLY_LIVE = ['trials', 'min-rate'] as const;
const ONLY_OFFLINE = ['outcome', 'config', 'no-config'] as const;

export const evaluateCommand = defineCommand({
  name: 'eval',
  summary: 'play recorded runs and data sets, and say what is not as expected',
  operands: someOperands('FILE', 'at least one file'),
  about: `Plays recorded runs of "holdfast promote" (.json) and data sets (.jsonl), and says what is not as expected.
    Offline it calls nothing and costs nothing: models, tools and people answer as recorded, or as the lines of a data
    set say.`,
  flags: FLAGS,
  exits: { 0: 'all as expected', 1: 'not all', 2: "wrong usage, or a file that can't be read", ...API_EXITS },
  readsEnvFile: true,
  async action({ values, given: files }, terminal) {
    const [{ REPORTERS }, { hasNoFailures }, { readSubjects }] = await Promise.all([
      import('./reporters.ts'),
      import('./measures.ts'),
      import('./evaluators.ts'),
    ]);
    const report = own(REPORTERS, values.reporter);
    if (!report)
      throw new UsageError(
        `There is no reporter "${values.reporter}".${didYouMean(values.reporter, Object.keys(REPORTERS))}`,
      );
    refuseIdleFlags(values);
    const graph = values.graph === undefined ? null : await readGraph(values.graph);
    const subjects = (await Promise.all(files.map((file) => readSubjects(file, graph)))).flat();
    const other = values.against === undefined ? null : await readOther(values.against, subjects);
    const evaluateOne = await createEvaluatorOf(values, graph, terminal);
    const results = [];
    for (const subject of subjects) results.push(await evaluateOne(subject));
    const comparison = other && (await compareWith(other, { file: values.graph ?? '', results }, evaluateOne));
    await printReport(report(results, comparison), values.out, terminal);
    for (const name of ['junit', 'markdown'] as const) {
      const file = values[name];
      if (file !== undefined) await writeText(file, own(REPORTERS, name)?.(results, comparison) ?? '');
    }
    return results.every(hasNoFailures) ? EXIT.done : EXIT.failed;
  },
});

/** Another version of the graph, with the cases that it plays. */
interface OtherVersion {
  readonly file: string;
  readonly subjects: readonly EvaluationSubject[];
}

/** @throws UsageError if the graph can't be read, or a subject is no case of a data set */
async function readOther(file: string, subjects: readonly EvaluationSubject[]): Promise<OtherVersion> {
  const graph = await readGraph(file);
  const cases = subjects.map((subject) => {
    if (subject.kind === 'recorded') throw new UsageError(`--against compares data sets (.jsonl), not ${subject.file}`);
    return { ...subject, graph };
  });
  return { file, subjects: cases };
}

async function compareWith(other: OtherVersion, graph: VersionResults, evaluateOne: Evaluator): Promise<Comparison> {
  const { compareVersions } = await import('./compare.ts');
  const results = [];
  for (const subject of other.subjects) results.push(await evaluateOne(subject));
  return compareVersions(graph, { file: other.file, results });
}

/** @throws UsageError for a flag that would have no effect */
function refuseIdleFlags(values: EvaluateFlags): void {
  const [idle, kind] = values.live ? [ONLY_OFFLINE, 'without'] : [ONLY_LIVE, 'with'];
  const given = idle.find((flag) => values[flag] !== undefined && values[flag] !== false);
  if (given !== undefined) throw new UsageError(`--${given} goes ${kind} --live only`);
}

async function createEvaluatorOf(values: EvaluateFlags, graph: GraphDefinition | null, terminal: Terminal) {
  const { createLiveEvaluator, createOfflineEvaluator } = await import('./evaluators.ts');
  if (!values.live)
    return createOfflineEvaluator({ graph, config: await readConfigOf(values, terminal), byOutcome: values.outcome });
  return createLiveEvaluator({
    client: await openClient(values, terminal),
    graph,
    trials: readNumberFlag('trials', values.trials ?? '1', (number) => Number.isInteger(number) && number >= 1),
    minRate: readNumberFlag('min-rate', values['min-rate'] ?? '1', (number) => number >= 0 && number <= 1),
  });
}

async function readConfigOf(values: EvaluateFlags, terminal: Terminal) {
  const file = wantsConfig(values) ? findConfig(values.config, terminal) : undefined;
  if (file !== undefined) return await readConfig(file);
  const { parseConfig } = await import('../../config/load-config.ts');
  return parseConfig('no configuration', {});
}

function readNumberFlag(name: string, value: string, isGood: (number: number) => boolean): number {
  const number = Number(value);
  if (value.trim() !== '' && isGood(number)) return number;
  throw new UsageError(`--${name} can't be ${value}`);
}

async function printReport(report: string, file: string | undefined, { stdout }: Terminal): Promise<void> {
  if (file === undefined) stdout.write(report);
  else await writeText(file, report);
}
