import type { GraphDefinition, NodeDefinition } from '../definition/definition.ts';
import { fieldAt, namesInFields } from '../definition/names-at.ts';
import { describeNode, fieldsOf } from '../definition/node-types/describe-node.ts';

/** Returns the text of a node: its id, its type with its subject, and its notes. */
export function shapeLines(id: string, node: NodeDefinition, definition: GraphDefinition): readonly string[] {
  const fields = fieldsOf(node);
  const { subject = [], notes = [] } = describeNode(fields).look;
  const about = subject.map((field) => fieldAt(fields, field)).find((value) => typeof value === 'string');
  return [
    id,
    about === undefined ? node.type : `${node.type}: ${about}`,
    ...(node.defer === true ? ['deferred'] : []),
    ...notes.flatMap(({ label, field }) =>
      namesInFields({ fields, path: '' }, [field]).map(({ name }) => `${label}: ${name}`),
    ),
    ...(definition.onCancel === id ? ['runs last when canceled'] : []),
    ...(isListed(id, definition.interruptBefore) ? ['pauses before'] : []),
    ...(isListed(id, definition.interruptAfter) ? ['pauses after'] : []),
  ];
}

function isListed(id: string, names: readonly string[] = []): boolean {
  return names.includes(id) || names.includes('*');
}
