import { z } from 'zod';
import type { Recording } from '../../graph/replay/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { writeText } from '../input/read-definition.ts';
import { EXIT, RefusedError, UsageError, defineCommand, switchFlag, textFlag, oneOperand } from '../line/command.ts';

/** The role of the token: recordings need the permission to read payloads. */
const ADMIN = 'admin';

export const promoteCommand = defineCommand({
  name: 'promote',
  summary: 'make a test of a run that has ended',
  operands: oneOperand('RUN', 'the id of one run'),
  about: `Makes a test of a run that has ended: its graph, its input, the answers of its calls, the decisions, events and
    timers, and the way it went. "holdfast eval FILE" plays it offline. What the run hides stays out of the file. The
    caller needs payload:read, which the role admin has.`,
  flags: {
    to: textFlag('FILE', 'the file to write'),
    'with-payloads': switchFlag('writes what the run hides, too'),
    ...accessFlags(ADMIN),
  },
  exits: { 0: 'written', 1: 'the recording does not play as the run went', ...API_EXITS },
  async action({ values, given: id }, terminal) {
    const file = values.to;
    if (file === undefined) throw new UsageError('Where shall the test be? Give --to FILE');
    const client = await openClient(values, terminal, ADMIN);
    const recording = toRecording(await client.runs.recording(id));
    const { toRecordedTest } = await import('../../testing/evaluation/index.ts');
    const test = toRecordedTest(recording, values['with-payloads'] ? 'all' : 'redacted');
    if ('problem' in test) {
      terminal.stderr.write(`holdfast: ${test.problem}\n`);
      return EXIT.failed;
    }
    await writeText(file, `${JSON.stringify(test, null, 1)}\n`);
    const { status, path } = test.expect;
    terminal.stderr.write(`${file}: ${status}, ${recording.events.length} events, ${path.join(' > ')}\n`);
    return EXIT.done;
  },
});

const RecordingSchema = z.custom<Recording>(
  (value) => isJsonObject(value) && Array.isArray(value['events']) && isJsonObject(value['answers']),
);

function toRecording(answer: unknown): Recording {
  const parsed = RecordingSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new RefusedError('The API answers with something that is no recording');
}
