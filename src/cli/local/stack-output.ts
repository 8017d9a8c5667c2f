import { DATA_DIR } from '../../dev/data-folder.ts';
import type { RunLine } from '../../dev/run-lines.ts';
import type { StackAddresses, StackFiles, StartOptions } from '../../dev/start.ts';
import type { Terminal } from '../line/command.ts';
import { paintFor } from '../output/style.ts';
import { formatClock, formatSeconds, zoneName } from '../output/times.ts';

/** What a stack prints. */
interface OutputSettings extends HintedFiles {
  readonly demo: boolean;
  /** True for one line of JSON once everything is ready, and nothing else. */
  readonly json: boolean;
  /** True for no events of runs. */
  readonly quiet: boolean;
}

type StackOutput = Pick<StartOptions, 'say' | 'started' | 'printRun' | 'ready'>;

/** Prints at once what is starting. @returns what prints the parts, addresses and events of the stack */
export function openStackOutput(
  settings: OutputSettings,
  { stdout, stderr, env }: Pick<Terminal, 'stdout' | 'stderr' | 'env'>,
): StackOutput {
  const { demo, json, quiet } = settings;
  const beganAt = performance.now();
  const say = (line: string): void => void stderr.write(`${line}\n`);
  if (json) {
    return {
      say,
      ready: ({ baseUrl, temporalAddress, uiUrl }) =>
        void stdout.write(`${JSON.stringify({ ready: true, baseUrl, temporalAddress, uiUrl })}\n`),
    };
  }
  say(`Starting PostgreSQL, Temporal, ${demo ? 'a scripted model and a shop, ' : ''}a worker and the API …`);
  const paint = paintFor(stdout, env);
  const quietly = paintFor(stderr, env);
  return {
    say,
    started: ({ name, tookMs }) => say(quietly('quiet', `  ${name}: ready in ${formatSeconds(tookMs)}`)),
    ready(stack, files) {
      const tookMs = performance.now() - beganAt;
      const lines = describeStack({ stack, files, flags: hintFlags(settings), quiet, tookMs });
      const [head = '', ...rest] = lines;
      stdout.write(`${[paint('heading', head), ...rest.map((line) => paint(null, line))].join('\n')}\n`);
    },
    ...(!quiet && {
      printRun: ({ at, graph, runId, text, tone }: RunLine) =>
        void stdout.write(`${paint('quiet', `${formatClock(at)}  ${graph} ${runId}`)}  ${paint(tone, text)}\n`),
    }),
  };
}

interface ReadyStack {
  readonly stack: StackAddresses;
  readonly files: StackFiles;
  readonly flags: HintFlags;
  readonly quiet: boolean;
  /** How long the start took. */
  readonly tookMs: number;
}

function describeStack({ stack, files, flags, quiet, tookMs }: ReadyStack): readonly string[] {
  const { baseUrl, temporalAddress, uiUrl } = stack;
  return [
    `Holdfast is running after ${formatSeconds(tookMs)}. Ctrl-C stops it; started again, it continues its runs.`,
    '',
    `  API               ${baseUrl}`,
    `  API description   ${baseUrl}/docs`,
    `  Console           ${baseUrl}/console ("npx holdfast console${flags.console}" signs in)`,
    `  Temporal          ${temporalAddress}`,
    `  Temporal Web UI   ${uiUrl}`,
    `  Tokens            ${files.tokens} ("npx holdfast token approver${flags.token}" prints one)`,
    `  Log               ${files.log} ("npx holdfast logs${flags.logs}" prints it)`,
    ...(quiet ? [] : [`  Times below       ${zoneName()}`]),
    '',
  ];
}

/** The flags to add to each suggested command. */
type HintFlags = Readonly<Record<'token' | 'console' | 'logs', string>>;

type HintedFiles = Pick<StartOptions, 'dataDir' | 'logFile' | 'issuerJwk' | 'tokensFile'>;

/** The flags by which commands find the files of a stack outside their default locations. */
export function hintFlags({ dataDir, logFile, issuerJwk, tokensFile }: HintedFiles): HintFlags {
  const folder = dataDir === DATA_DIR ? undefined : dataDir;
  const signing = formatFlags({ 'data-dir': folder, 'issuer-jwk': issuerJwk });
  return {
    token: signing,
    console: `${signing}${formatFlags({ 'tokens-file': tokensFile })}`,
    logs: formatFlags(logFile === undefined ? { 'data-dir': folder } : { 'log-file': logFile }),
  };
}

function formatFlags(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${quoteShellWord(value)}`]))
    .join('');
}

/** Quotes a word for a shell. */
function quoteShellWord(word: string): string {
  return /^[\w./@:+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
