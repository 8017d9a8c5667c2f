import { LIMITS } from '../../definition/limits.ts';
import type { Ceilings, LimitDescription } from '../../definition/limits.ts';
import { graphToolsAt } from '../../definition/graph-tools.ts';
import { graphsWithin } from '../../definition/pin-catalog.ts';
import { parseDuration } from '../../values/time.ts';
import { parsePointer, toPointer, valueAt } from '../../values/json-pointer.ts';
import { own } from '../../values/json.ts';
import { toJsonObject } from '../../values/to-json.ts';
import type { Json } from '../../values/json.ts';
import type { Path } from '../../values/json-pointer.ts';
import { defineRule, error } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import { readSubject } from '../subject.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';

/**
 * Finds a field that exceeds a ceiling of the installation. Published graphs that nodes name are checked, too, because
 * the ceilings may have been lowered since their publication.
 */
export const overCeilings = defineRule({
  codes: ['INVALID_FIELD'],
  find: (subject) => [
    ...ceilingIssues(subject),
    ...[...subject.nodes.values()].flatMap((node) => issuesInside(subject, node)),
  ],
});

function ceilingIssues({ definition, catalog, ...subject }: ValidationSubject): GraphIssues<'INVALID_FIELD'> {
  return boundedFields(subject).flatMap(({ path, ceiling }) => {
    const [value, most] = [valueAt(definition, path), catalog.ceilings[ceiling]];
    if (!exceedsCeiling(value, most)) return [];
    const message = `${path.at(-1)} is ${value}; this installation allows ${most} (ceilings.${ceiling})`;
    return [error('INVALID_FIELD', toPointer(path), message)];
  });
}

/** Compares numbers or durations. Values of a wrong type are left to other rules. */
function exceedsCeiling(value: Json | undefined, most: number | string): value is number | string {
  if (typeof most === 'number') return typeof value === 'number' && value > most;
  return (parseDuration(value) ?? 0) > (parseDuration(most) ?? 0);
}

interface BoundedField {
  readonly path: Path;
  readonly ceiling: keyof Ceilings;
}

function boundedFields({ nodes, edges }: Pick<ValidationSubject, 'nodes' | 'edges'>): readonly BoundedField[] {
  // The `timeout` of a node that waits is the duration of its wait.
  const calling = [...nodes.values()].filter(({ description }) => !description.mayWait);
  return [
    ...LIMIT_FIELDS,
    ...[['defaults'], ...calling.map(({ id }) => ['nodes', id])].flatMap(boundedCallFields),
    ...edges.map(
      ({ path }) => ({ path: [...parsePointer(path), 'maxConcurrency'], ceiling: 'superstepTasks' }) as const,
    ),
  ];
}

const LIMIT_FIELDS = Object.entries<LimitDescription>(LIMITS).flatMap(([name, { ceiling }]): readonly BoundedField[] =>
  ceiling === undefined ? [] : [{ path: ['limits', name], ceiling }],
);

function boundedCallFields(path: Path): readonly BoundedField[] {
  return [
    { path: [...path, 'timeout'], ceiling: 'timeout' },
    { path: [...path, 'retry', 'maxAttempts'], ceiling: 'attempts' },
  ];
}

/** Returns the first issue of each published graph that a node names, or of a graph inside it. */
function issuesInside(
  subject: ValidationSubject,
  { fields, path, description }: SubjectNode,
): GraphIssues<'INVALID_FIELD'> {
  const field = description.graph?.definition;
  const name = field === undefined ? undefined : fields[field];
  return [
    ...(typeof name === 'string' ? issuesOfGraph(subject, name, `${path}/${field}`) : []),
    ...graphToolsAt(fields).flatMap(({ reference, index }) =>
      issuesOfGraph(subject, reference, `${path}/tools/${index}/graph`),
    ),
  ];
}

function issuesOfGraph({ catalog }: ValidationSubject, name: string, path: string): GraphIssues<'INVALID_FIELD'> {
  const definition = own(catalog.graphs ?? {}, name);
  if (!definition) return [];
  for (const inside of graphsWithin(definition, catalog)) {
    const [issue] = ceilingIssues(readSubject(toJsonObject(inside), catalog));
    if (issue) return [{ ...issue, path, message: `In "${inside.name}" at ${issue.path}: ${issue.message}` }];
  }
  return [];
}
