import { z } from 'zod';
import { isJsonObject, parseDuration, toJson } from '../graph/values/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { readAccess } from './api-access.ts';
import { createApiClient, describeRefusal } from './api-client.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { EXIT, RefusedError, UsageError } from './command.ts';
import type { Command, Terminal } from './command.ts';
import { describeEvent } from './describe-event.ts';
import { followRun, isAtRest, toRun } from './follow-run.ts';
import type { FollowedRun } from './follow-run.ts';
import { formatIssues } from './format-issues.ts';
import { readDefinition, readText } from './read-definition.ts';
import type { DefinitionFile } from './read-definition.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast run FILE [flags]

Runs a graph definition on a Holdfast that is running, and waits until the run ends or waits for a person. Progress goes
to standard error, the run's output as JSON to standard output.

  --input JSON         the run's input, or @FILE that holds it (default: {})
  --url URL            where the API is (default: as in the tokens file, or HOLDFAST_URL)
  --token TOKEN        who asks (default: HOLDFAST_TOKEN)
  --tokens-file FILE   the addresses and tokens that "npm start -- --tokens-file FILE" has written
  --as NAME            whose token of that file to take (default: user)
  --timeout DURATION   how long to wait, such as 30s or 5m (default: as long as it takes); the run continues all the same
  --json               prints the run instead of its output
  --quiet              prints no progress

Exit code: 0 completed; 1 failed, or the definition or its input is invalid; 2 wrong usage; 3 waits for a person or an
event, or is paused; 4 canceled; 5 the time is up; 6 the API can't be reached, or refuses.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

export const run: Command = {
  summary: 'run a graph on a Holdfast that is running, and wait for it',
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = readFlags(args, {
      input: { ...text, default: '{}' },
      url: text,
      token: text,
      'tokens-file': text,
      as: { ...text, default: 'user' },
      timeout: text,
      json: flag,
      quiet: flag,
    });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError('run takes one file');
    const timeoutMs = readTimeout(values.timeout);
    const input = await readInput(values.input);
    const definition = await readDefinition(file);
    const client = createApiClient(await readAccess(values, terminal));
    const print = values.quiet ? () => {} : (line: string) => void terminal.stderr.write(`${line}\n`);
    const id = await submitRun(client, { file: definition, input }, terminal);
    if (id === null) return EXIT.failed;
    print(`Run ${id}`);
    const ended = await followRun(client, id, {
      onEvent: (event) => printIfAny(describeEvent(event), print),
      until: timeoutMs === null ? null : Date.now() + timeoutMs,
    });
    terminal.stdout.write(`${JSON.stringify(values.json ? ended : ended.output, null, 2)}\n`);
    print(summarize(ended));
    return isAtRest(ended) ? EXIT_BY_STATUS[ended.status] : EXIT.timedOut;
  },
};

function readTimeout(value: string | undefined): number | null {
  if (value === undefined) return null;
  const timeoutMs = parseDuration(value);
  if (timeoutMs === null) throw new UsageError(`--timeout takes a duration such as 30s or 5m, not "${value}"`);
  return timeoutMs;
}

async function readInput(value: string): Promise<JsonObject> {
  const json = value.startsWith('@') ? await readText(value.slice(1)) : value;
  try {
    const input = toJson(JSON.parse(json));
    if (isJsonObject(input)) return input;
  } catch {
    throw new UsageError(`--input is no JSON: ${json.slice(0, 100)}`);
  }
  throw new UsageError('--input takes a JSON object: the values of channels');
}

interface Submission {
  readonly file: DefinitionFile;
  readonly input: JsonObject;
}

/** @returns the run's id; `null` if the definition or the input is invalid, which is printed */
async function submitRun(client: ApiClient, { file, input }: Submission, { stderr }: Terminal): Promise<string | null> {
  if ('fault' in file.content) {
    stderr.write(formatIssues(file.file, [file.content.fault]));
    return null;
  }
  const answer = await client.post('/api/runs', { graph: file.content.definition, input });
  if (answer.status === 201) return toRun(answer.body).id;
  if (answer.status !== 422 && answer.status !== 413) throw new RefusedError(describeRefusal(answer));
  stderr.write(`${describeRefusal(answer)}\n${formatRefusal(answer, file)}`);
  return null;
}

const Issue = z.object({
  path: z.string(),
  message: z.string(),
  code: z.string().default(''),
  severity: z.string().default('error'),
  hint: z.string().optional(),
});
const Refusal = z.looseObject({ code: z.string(), issues: z.array(Issue).default([]) });

/** Formats a refusal; issues of the definition get their location in the file. */
function formatRefusal({ body }: ApiAnswer, { file, locate }: DefinitionFile): string {
  const { code, issues } = Refusal.parse(body);
  if (code === 'INVALID_GRAPH' || code === 'GRAPH_TOO_LARGE') return formatIssues(file, issues.map(locate));
  return issues.map(({ path, message }) => `${path}: ${message}\n`).join('');
}

function printIfAny(line: string | null, print: (line: string) => void): void {
  if (line !== null) print(line);
}

const EXIT_BY_STATUS: Readonly<Record<FollowedRun['status'], number>> = {
  queued: EXIT.timedOut,
  running: EXIT.timedOut,
  waiting: EXIT.waits,
  paused: EXIT.waits,
  completed: EXIT.done,
  failed: EXIT.failed,
  canceled: EXIT.canceled,
};

function summarize({ id, status, waitingFor, error }: FollowedRun): string {
  const waits = waitingFor.map(
    ({ kind, node, id: what }) => `${kind} at ${node}${what === undefined ? '' : ` (${what})`}`,
  );
  const cause = error?.cause ? ` (${error.cause.message})` : '';
  const reason = error ? `: ${error.code} ${error.message}${cause}` : '';
  return `Run ${id} is ${status}${waits.length === 0 ? '' : `, waiting for ${waits.join(', ')}`}${reason}`;
}
