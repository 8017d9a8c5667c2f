import { isJsonObject, itemsIn, membersIn } from '../values/json.ts';
import { toPointer } from '../values/json-pointer.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { Catalog } from '../definition/catalog.ts';
import { kindOfEdge } from '../definition/definition.ts';
import type { EdgeKind } from '../definition/definition.ts';
import { namesAt, describeNode } from '../definition/node-types/describe-node.ts';
import type { LocatedName } from '../definition/node-types/describe-node.ts';
import type { NodeDescription } from '../definition/node-types/node-description.ts';

/**
 * A definition under validation. Rules skip parts of the wrong shape, which the rule `shape` reports, so that one pass
 * finds all issues.
 */
export interface ValidationSubject {
  readonly definition: JsonObject;
  readonly catalog: Catalog;
  readonly channels: ReadonlyMap<string, JsonObject>;
  readonly nodes: ReadonlyMap<string, SubjectNode>;
  readonly edges: readonly SubjectEdge[];
}

export interface SubjectNode {
  readonly id: string;
  readonly type: string;
  readonly fields: JsonObject;
  readonly path: string;
  readonly description: NodeDescription;
}

export interface SubjectEdge {
  readonly fields: JsonObject;
  readonly path: string;
  readonly kind: EdgeKind;
  readonly sources: readonly LocatedName[];
  readonly targets: readonly LocatedName[];
  readonly expressions: readonly SubjectExpression[];
}

/** A field that is CEL without braces. */
export interface SubjectExpression {
  readonly source: string;
  readonly path: string;
}

export function readSubject(definition: JsonObject, catalog: Catalog): ValidationSubject {
  return {
    definition,
    catalog,
    channels: new Map(edgeObjects(definition['channels'])),
    nodes: new Map(
      edgeObjects(definition['nodes']).map(([id, fields]) => [
        id,
        {
          id,
          type: textOr(fields['type'], ''),
          fields,
          path: toPointer(['nodes', id]),
          description: describeNode(fields),
        },
      ]),
    ),
    edges: itemsIn(definition['edges']).flatMap((edge, index) => (isJsonObject(edge) ? [readEdge(edge, index)] : [])),
  };
}

function readEdge(fields: JsonObject, index: number): SubjectEdge {
  const path = `/edges/${index}`;
  const kind = kindOfEdge(fields);
  const sources = firstOfEach(namesAt(fields['from'], `${path}/from`));
  const expressions = Object.values(EXPRESSIONS).flatMap((read) => read(fields, path));
  return { fields, path, kind, sources, targets: TARGETS[kind](fields, path), expressions };
}

/** Drops repeated names, because a join waits for each node once. */
function firstOfEach(names: readonly LocatedName[]): readonly LocatedName[] {
  return [...new Map(names.toReversed().map((named) => [named.name, named])).values()].toReversed();
}

type EdgeReader<Part> = Readonly<Record<EdgeKind, (fields: JsonObject, path: string) => readonly Part[]>>;

const TARGETS: EdgeReader<LocatedName> = {
  plain: (fields, path) => namesAt(fields['to'], `${path}/to`),
  forEach: (fields, path) => [...namesAt(fields['to'], `${path}/to`), ...targetsOfPaths(fields, path)],
  branches: (fields, path) =>
    branchesOf(fields, path).flatMap(({ fields: branch, path: at }) => namesAt(branch['to'], `${at}/to`)),
  route: targetsOfPaths,
};

function targetsOfPaths({ paths, default: otherwise }: JsonObject, path: string): readonly LocatedName[] {
  return [
    ...membersIn(paths).flatMap(([value, target]) => namesAt(target, `${path}/paths${toPointer([value])}`)),
    ...namesAt(otherwise, `${path}/default`),
  ];
}

const EXPRESSIONS: EdgeReader<SubjectExpression> = {
  plain: () => [],
  forEach: ({ forEach }, path) => expressionFieldAt(forEach, `${path}/forEach`),
  branches: (fields, path) =>
    branchesOf(fields, path).flatMap(({ fields: { when }, path: at }) => expressionFieldAt(when, `${at}/when`)),
  route: ({ route }, path) => expressionFieldAt(route, `${path}/route`),
};

function expressionFieldAt(value: Json | undefined, path: string): readonly SubjectExpression[] {
  return typeof value === 'string' ? [{ source: value, path }] : [];
}

/** Returns the readable branches of an edge. */
export function branchesOf(
  edge: JsonObject,
  path: string,
): readonly { readonly fields: JsonObject; readonly path: string }[] {
  return itemsIn(edge['branches']).flatMap((fields, index) =>
    isJsonObject(fields) ? [{ fields, path: `${path}/branches/${index}` }] : [],
  );
}

function edgeObjects(value: Json | undefined): readonly (readonly [string, JsonObject])[] {
  return membersIn(value).flatMap(([key, member]) => (isJsonObject(member) ? [[key, member] as const] : []));
}

function textOr(value: Json | undefined, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}
