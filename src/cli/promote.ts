import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Recording } from '../graph/replay/index.ts';
import { isJsonObject, messageOf } from '../graph/values/index.ts';
import { readAccess } from './api-access.ts';
import { createApiClient } from './api-client.ts';
import { EXIT, RefusedError, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast promote RUN --to FILE [flags]

Makes a test of a run that has ended: its graph, its input, the answers of its calls, the decisions, events and timers,
and the way it went. "holdfast eval FILE" plays it offline. What the run hides stays out of the file.

  --to FILE            the file to write
  --with-payloads      writes what the run hides, too
  --url URL            where the API is (default: as in the tokens file, or HOLDFAST_URL)
  --token TOKEN        who asks (default: HOLDFAST_TOKEN); payload:read is needed
  --tokens-file FILE   the addresses and tokens that "npm start -- --tokens-file FILE" has written
  --as NAME            whose token of that file to take (default: admin)

Exit code: 0 written; 1 the recording does not play as the run went; 2 wrong usage; 6 the API can't be reached, or
refuses.
`;

const text = { type: 'string' } as const;

export const promote: Command = {
  summary: 'make a test of a run that has ended',
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = readFlags(args, {
      to: text,
      'with-payloads': { type: 'boolean', default: false },
      url: text,
      token: text,
      'tokens-file': text,
      as: { ...text, default: 'admin' },
    });
    const [id, ...more] = positionals;
    const file = values.to;
    if (id === undefined || more.length > 0) throw new UsageError('promote takes the id of one run');
    if (file === undefined) throw new UsageError('Where shall the test be? Give --to FILE');
    const client = createApiClient(await readAccess(values, terminal));
    const recording = toRecording(await client.get(`/api/runs/${encodeURIComponent(id)}/recording`));
    const { toRecordedTest } = await import('../testing/evaluation/index.ts');
    const test = toRecordedTest(recording, values['with-payloads'] ? 'all' : 'redacted');
    if ('problem' in test) {
      terminal.stderr.write(`holdfast: ${test.problem}\n`);
      return EXIT.failed;
    }
    await write(file, `${JSON.stringify(test, null, 1)}\n`);
    const { status, path } = test.expect;
    terminal.stderr.write(`${file}: ${status}, ${recording.events.length} events, ${path.join(' > ')}\n`);
    return EXIT.done;
  },
};

const RecordingSchema = z.custom<Recording>(
  (value) => isJsonObject(value) && Array.isArray(value['events']) && isJsonObject(value['answers']),
);

function toRecording(answer: unknown): Recording {
  const parsed = RecordingSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new RefusedError('The API answers with something that is no recording');
}

async function write(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${messageOf(error)}`, { cause: error });
  }
}
