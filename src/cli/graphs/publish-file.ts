import { HoldfastError } from '../../client/index.ts';
import type { Client, Graph } from '../../client/index.ts';
import { isJsonObject } from '../../graph/values/index.ts';
import { readDefinition } from '../input/read-definition.ts';
import { refusalInWords, formatIssues, formatRefusal } from '../output/format-refusal.ts';

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
    return { problem: `${refusalInWords(error)}\n${formatRefusal(error, definition)}` };
  }
}
