import { isDefinition } from '../../graph/definition/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import { UsageError } from '../line/command.ts';
import { readDefinition } from './read-definition.ts';

/** Reads the graph of a file, JSON or a module. @throws UsageError if it holds none */
export async function readGraph(file: string): Promise<GraphDefinition> {
  const { content } = await readDefinition(file);
  if ('fault' in content) throw new UsageError(`${file}:${content.fault.line}: ${content.fault.message}`);
  if (isDefinition(content.definition)) return content.definition;
  throw new UsageError(`${file} is no graph definition`);
}
