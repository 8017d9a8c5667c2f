import type { GraphDefinition, NodeDefinition } from '../definition/definition.ts';
import { isJsonObject, own } from '../values/json.ts';

/** What stands in a node: its id, its type with what it works on, and what is special about it. */
export function shapeLines(id: string, node: NodeDefinition, definition: GraphDefinition): readonly string[] {
  const fields: Fields = { ...node };
  const subject = own(SUBJECTS, node.type)?.(fields) ?? null;
  return [
    id,
    subject === null ? node.type : `${node.type}: ${subject}`,
    ...(node.defer === true ? ['deferred'] : []),
    ...(node.type === 'tool' && node.compensate ? [`undone by: ${node.compensate.tool}`] : []),
    ...(definition.onCancel === id ? ['runs last when canceled'] : []),
    ...(isListed(id, definition.interruptBefore) ? ['pauses before'] : []),
    ...(isListed(id, definition.interruptAfter) ? ['pauses after'] : []),
  ];
}

type Fields = Readonly<Record<string, unknown>>;

const SUBJECTS: Readonly<Record<string, (fields: Fields) => string | null>> = {
  tool: ({ tool }) => textOf(tool),
  function: ({ function: name }) => textOf(name),
  subgraph: ({ graph }) => textOf(isJsonObject(graph) ? graph['name'] : graph),
  wait: ({ for: duration, until, event }) => textOf(duration) ?? textOf(until) ?? textOf(event),
};

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function isListed(id: string, names: readonly string[] = []): boolean {
  return names.includes(id) || names.includes('*');
}
