import { END, START } from '../../definition/definition.ts';
import { namesAt, namesInFields, fieldsOfKind } from '../../definition/node-types/describe-node.ts';
import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { isJsonObject, own } from '../../values/json.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';

/** Finds the name of a node that doesn't exist. */
export const unknownNodes = defineRule({
  codes: ['UNKNOWN_NODE'],
  find: (subject) => [
    ...unknownNames(
      subject,
      subject.edges.flatMap(({ sources }) => sources),
      [START],
    ),
    ...unknownNames(
      subject,
      subject.edges.flatMap(({ targets }) => targets),
      [END],
    ),
    ...unknownNames(subject, [...subject.nodes.values()].flatMap(gotoTargetsOf), [END]),
    ...unknownNames(subject, breakpointNames(subject), ['*']),
    ...unknownNames(subject, lastNodeOf(subject), []),
  ],
});

/** Returns the nodes that a node may go to, in addition to its edges. */
export function gotoTargetsOf(node: SubjectNode): readonly LocatedName[] {
  const { onError } = node.fields;
  return [
    ...(isJsonObject(onError) ? namesAt(onError['to'], `${node.path}/onError/to`) : []),
    ...namesInFields(node, fieldsOfKind('goto')),
  ];
}

/** Returns the nodes with a breakpoint. */
function breakpointNames({ definition }: ValidationSubject): readonly LocatedName[] {
  return ['interruptBefore', 'interruptAfter'].flatMap((field) => namesAt(definition[field], `/${field}`));
}

/** Returns the node that runs last if a run is canceled. */
export function lastNodeOf({ definition }: ValidationSubject): readonly LocatedName[] {
  return namesAt(definition['onCancel'], '/onCancel');
}

function unknownNames(
  { nodes }: ValidationSubject,
  found: readonly LocatedName[],
  also: readonly string[],
): GraphIssues<'UNKNOWN_NODE'> {
  const known = new Set([...nodes.keys(), ...also]);
  return found
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => error('UNKNOWN_NODE', path, `There is no node "${name}".${suggestNode(name, known)}`));
}

/** The names that other engines use for the start and the end. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = { START, END };

function suggestNode(name: string, known: ReadonlySet<string>): string {
  const meant = own(NAMES_ELSEWHERE, name.toUpperCase());
  return meant !== undefined && known.has(meant) ? ` Did you mean "${meant}"?` : didYouMean(name, known);
}
