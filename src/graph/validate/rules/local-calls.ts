import { LOCAL_CALLS, mayBeLocal } from '../../definition/call-policy.ts';
import type { CallSettings, CallSafety } from '../../definition/call-policy.ts';
import type { Catalog } from '../../definition/catalog.ts';
import { offeredNames } from '../../definition/node-types/offered-tool.ts';
import { namesInFields } from '../../definition/node-types/describe-node.ts';
import { toolsOfCalls } from '../../definition/graph-tools.ts';
import { parseDuration } from '../../values/time.ts';
import { isJsonObject, own } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import { defineRule, error } from '../rule.ts';
import type { ValidationSubject, SubjectNode } from '../subject.ts';

/** Finds a node with `execution: "local"` whose calls are not short and idempotent. */
export const localCalls = defineRule({
  codes: ['INVALID_FIELD'],
  find: (subject) =>
    [...subject.nodes.values()]
      .filter(({ fields }) => fields['execution'] === 'local')
      .flatMap((node) => {
        const unfit = codeCalledBy(node, subject).find(({ effect, timeout }) => {
          return !mayBeLocal(effect, timeoutOf(node, timeout, subject));
        });
        if (!unfit) return [];
        const message = `Only calls with ${LOCAL_CALLS} may be local, unlike those of ${unfit.name}`;
        return [error('INVALID_FIELD', `${node.path}/execution`, message)];
      }),
});

/** Code that a node calls. Names that the catalog lacks are excluded, because other rules report them. */
interface Callee extends CallSettings {
  readonly name: string;
  readonly effect: CallSafety;
}

function codeCalledBy(node: SubjectNode, { catalog, nodes }: ValidationSubject): readonly Callee[] {
  const { calls } = node.description;
  if (!calls) return [];
  if ('nodeType' in calls) return findCalledCode(catalog.nodeTypes, [node.type]);
  if ('functions' in calls) return findCalledCode(catalog.functions, calledNames(node, calls.functions));
  return findCalledCode(catalog.tools, [...calledNames(node, calls.tools), ...impliedTools(node, nodes)]);
}

function calledNames(node: SubjectNode, fields: readonly string[]): readonly string[] {
  return namesInFields(node, fields).map(({ name }) => name);
}

/** Returns the tools of a node that takes calls from messages and names no tools. */
function impliedTools({ fields, description }: SubjectNode, nodes: ValidationSubject['nodes']): readonly string[] {
  const { makesCalls } = description;
  const channel = makesCalls && fields[makesCalls.channel];
  if (!makesCalls || typeof channel !== 'string' || fields[makesCalls.tools] !== undefined) return [];
  return offeredNames(toolsOfCalls(channel, [...nodes.values()]) ?? []);
}

function findCalledCode(entries: Catalog['functions'] | undefined = {}, names: readonly string[]): readonly Callee[] {
  return names.flatMap((name) => {
    const entry = own(entries, name);
    return entry ? [{ ...entry, name }] : [];
  });
}

/** Returns the timeout of an attempt. An invalid one is ignored here, because another rule reports it. */
function timeoutOf(
  { fields }: SubjectNode,
  called: string | undefined,
  { definition, catalog }: ValidationSubject,
): string {
  const { defaults } = definition;
  const ofGraph = isJsonObject(defaults) ? defaults['timeout'] : undefined;
  return [fields['timeout'], called, ofGraph].find(isDuration) ?? catalog.defaults.timeout;
}

function isDuration(value: Json | undefined): value is string {
  return typeof value === 'string' && parseDuration(value) !== null;
}
