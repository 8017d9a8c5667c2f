import type { GraphDefinition } from '../../graph/definition/index.ts';
import { messageOf } from '../../graph/values/index.ts';
import type { RecordedTest, TestCase } from '../../testing/evaluation/index.ts';
import { readCase, readRecordedTest } from '../../testing/evaluation/index.ts';
import { UsageError } from '../line/command.ts';
import { readText } from '../input/read-definition.ts';

/** A thing to evaluate: a recorded run, or a line of a data set. */
export type Subject = { readonly file: string; readonly name: string } & (
  | { readonly kind: 'recorded'; readonly test: RecordedTest }
  | { readonly kind: 'case'; readonly graph: GraphDefinition; readonly testCase: TestCase }
);

/**
 * Reads a file: `.jsonl` is a data set, all else a recorded run.
 * @param graph of the cases of data sets; `null`: none is given
 * @throws UsageError that names the file, and the line
 */
export async function readSubjects(file: string, graph: GraphDefinition | null): Promise<readonly Subject[]> {
  const text = await readText(file);
  if (!file.endsWith('.jsonl')) {
    const test = parse(text, file, readRecordedTest);
    return [{ kind: 'recorded', file, name: test.recording.definition.name, test }];
  }
  if (!graph) throw new UsageError(`${file} is a data set: give its graph by --graph FILE`);
  const lines = text.split('\n').map((line, at) => ({ line, number: at + 1 }));
  const cases = lines.flatMap(({ line, number }): Subject[] => {
    if (line.trim() === '') return [];
    const testCase = parse(line, `${file}:${number}`, readCase);
    return [{ kind: 'case', file, name: testCase.name ?? `line ${number}`, graph, testCase }];
  });
  if (cases.length === 0) throw new UsageError(`${file} has no cases`);
  return cases;
}

function parse<T>(text: string, origin: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`${origin}: ${messageOf(error)}`, { cause: error });
  }
}
