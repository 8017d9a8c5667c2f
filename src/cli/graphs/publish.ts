import { HoldfastError } from '../../client/index.ts';
import type { Client, Graph } from '../../client/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { switchFlag } from '../line/flags.ts';
import { someOperands } from '../line/operands.ts';
import { readDefinition } from '../input/read-definition.ts';
import { describeRefusal, formatIssues, formatRefusal } from '../output/format-refusal.ts';

export const publishCommand = defineCommand({
  name: 'publish',
  summary: 'publish graphs',
  operands: someOperands('FILE', 'at least one file'),
  about: `Publishes graph definitions (.json, or .ts that exports a graph), in this order. What has not changed keeps its
    version. A file that is refused keeps no other one from being published.`,
  flags: { ...accessFlags(), json: switchFlag('prints the published graphs as JSON') },
  exits: { 0: 'all published', 1: 'some definitions have errors', ...API_EXITS },
  async action({ values, given }, terminal) {
    const client = await openClient(values, terminal);
    const published: Graph[] = [];
    for (const file of given) {
      const result = await publishFile(client, file);
      if ('problem' in result) terminal.stderr.write(result.problem);
      else {
        published.push(result.graph);
        if (!values.json) terminal.stdout.write(`${file}: ${result.graph.name}, version ${result.graph.version}\n`);
      }
    }
    if (values.json) terminal.stdout.write(`${JSON.stringify(published, null, 2)}\n`);
    return published.length === given.length ? EXIT.done : EXIT.failed;
  },
});

/** A published graph, or the formatted problems of its file. */
export type PublishedFile = { readonly graph: Graph } | { readonly problem: string };

/** @throws UsageError if the file can't be read; HoldfastError if the request to the API fails */
export async function publishFile({ graphs }: Client, file: string): Promise<PublishedFile> {
  const definition = await readDefinition(file);
  const { content } = definition;
  if ('fault' in content) return { problem: formatIssues(file, [content.fault]) };
  if (!isJsonObject(content.definition)) return { problem: `${file} holds no object, so no graph definition\n` };
  try {
    return { graph: await graphs.publish(content.definition) };
  } catch (error) {
    if (!(error instanceof HoldfastError) || (error.status !== 422 && error.status !== 413)) throw error;
    return { problem: `${describeRefusal(error)}\n${formatRefusal(error, definition)}` };
  }
}
