import {
  namesAt,
  memberNamesAt,
  channelsOfNode,
  namesInFields,
  fieldsOfKind,
} from '../../definition/node-types/describe-node.ts';
import type { LocatedName } from '../../definition/node-types/describe-node.ts';
import { describeReducer } from '../../definition/reducers.ts';
import { InvalidExpressionError, parseExpression } from '../../expression/expression.ts';
import type { Expression } from '../../expression/expression.ts';
import { InvalidTemplateError, parseTemplate } from '../../expression/template.ts';
import { defineRule, error, issueWarning } from '../rule.ts';
import type { GraphIssues } from '../rule.ts';
import { bareExpressions } from './expressions.ts';
import { templatesOf } from './templates.ts';
import type { ValidationSubject, SubjectEdge } from '../subject.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { toPointer } from '../../values/json-pointer.ts';
import { isContainer, isJsonList, isJsonObject } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';

/** Finds a channel that is written or named but not declared. */
export const unknownChannels = defineRule({
  codes: ['UNKNOWN_CHANNEL'],
  find: (subject) => {
    const { channels } = subject;
    return [...channelsWritten(subject), ...channelsListed(subject)]
      .filter(({ name }) => !channels.has(name))
      .map(({ name, path }) =>
        error('UNKNOWN_CHANNEL', path, `No channel "${name}" is declared.${didYouMean(name, channels.keys())}`),
      );
  },
});

/** Returns the channels that nodes write, or use as their conversation, and those that `onFail` writes. */
function channelsWritten({ nodes, definition: { onFail } }: ValidationSubject): readonly LocatedName[] {
  return [
    ...[...nodes.values()].flatMap(channelsOfNode),
    ...(isJsonObject(onFail) ? memberNamesAt(onFail['write'], '/onFail/write') : []),
  ];
}

/** Returns the channels that the definition lists as input, as required input, and as output. */
function channelsListed({ definition }: ValidationSubject): readonly LocatedName[] {
  return ['input', 'required', 'output'].flatMap((field) => namesAt(definition[field], `/${field}`));
}

/** Finds a required channel that a run can't be started with. */
export const requiredInputs = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ definition, channels }) => {
    const { input, required } = definition;
    if (!isJsonList(input)) return [];
    const inputs = new Set(input);
    return namesAt(required, '/required')
      .filter(({ name }) => channels.has(name) && !inputs.has(name))
      .map(({ name, path }) =>
        error('INVALID_FIELD', path, `"${name}" is required, and no run can give it: see "input"`),
      );
  },
});

/**
 * Finds a conversation in a channel that drops earlier messages, because nodes write only new ones. Also finds `roles`
 * of a channel that keeps no messages.
 */
export const conversationChannels = defineRule({
  codes: ['INVALID_FIELD'],
  find: ({ nodes, channels }) => [
    ...[...nodes.values()]
      .flatMap((node) => namesInFields(node, fieldsOfKind('conversations')))
      .filter(({ name }) => !keepsMessages(channels.get(name) ?? { reducer: 'messages' }))
      .map(({ name, path }) =>
        error('INVALID_FIELD', path, `The channel "${name}" keeps no conversation: its reducer must be "messages".`),
      ),
    ...[...channels]
      .filter(([, channel]) => channel['roles'] !== undefined && !keepsMessages(channel))
      .map(([name]) =>
        error(
          'INVALID_FIELD',
          toPointer(['channels', name, 'roles']),
          `The channel "${name}" keeps no messages, so it takes no roles: its reducer must be "messages".`,
        ),
      ),
  ],
});

function keepsMessages({ reducer = 'replace' }: JsonObject): boolean {
  return isJsonObject(reducer) || describeReducer(reducer)?.keepsMessages === true;
}

/** Finds a channel that is neither written, read nor listed. */
export const unusedChannels = defineRule({
  codes: ['UNUSED_CHANNEL'],
  find: (subject) => {
    const used = new Set([...channelsWritten(subject), ...channelsListed(subject)].map(({ name }) => name));
    for (const name of channelsRead(subject)) used.add(name);
    if (used.has('*')) return [];
    return [...subject.channels.keys()]
      .filter((name) => !used.has(name))
      .map((name) =>
        issueWarning(
          'UNUSED_CHANNEL',
          toPointer(['channels', name]),
          `Nothing writes or reads channel "${name}"`,
          'Remove it, or use it',
        ),
      );
  },
});

function channelsRead(subject: ValidationSubject): readonly string[] {
  return [
    ...bareExpressions(subject).flatMap(({ source, names }) =>
      channelsIn(source, () => [parseExpression(source, names)]),
    ),
    ...templatesOf(subject)
      .flatMap(({ value, names }) => textsIn(value).map((text) => ({ text, names })))
      .flatMap(({ text, names }) => channelsIn(text, () => parseTemplate(text, names, '').expressions)),
  ];
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return isContainer(value) ? Object.values<Json>(value).flatMap(textsIn) : [];
}

/** Returns the channels that a text reads; for one that is not valid, the channels that it seems to read. */
function channelsIn(text: string, read: () => readonly Expression[]): readonly string[] {
  try {
    return read().flatMap(({ references }) => [...references.channels]);
  } catch (thrown) {
    if (!(thrown instanceof InvalidExpressionError) && !(thrown instanceof InvalidTemplateError)) throw thrown;
    return [...text.matchAll(CHANNEL_IN_TEXT)].flatMap(([, member, key]) => member ?? key ?? []);
  }
}

/** A channel in a text that is not valid CEL, such as `state.a` or `state["a"]`. */
const CHANNEL_IN_TEXT = /\bstate\s*(?:\??\.\??([A-Za-z]\w*)|\[\s*["']([^"']{1,63})["'])/g;

/** Finds nodes that always run together and write a channel that accepts only one write in a superstep. */
export const concurrentWrites = defineRule({
  codes: ['IMPLICIT_CONCURRENT_WRITE'],
  find: (subject) => {
    const reported = new Set<string>();
    return [...nodesTogether(subject.edges).values()]
      .flatMap((group) => concurrentWritesIn(subject, [...group]))
      .filter(({ path }) => !reported.has(path) && reported.add(path));
  },
});

/** Returns the nodes that unconditional edges of one source start in the same superstep. */
function nodesTogether(edges: readonly SubjectEdge[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { kind, sources, targets } of edges) {
    if (kind !== 'plain') continue;
    const source = sources
      .map(({ name }) => name)
      .sort()
      .join(' ');
    const group = groups.get(source) ?? new Set();
    for (const { name } of targets) group.add(name);
    groups.set(source, group);
  }
  return groups;
}

function concurrentWritesIn(
  { nodes, channels }: ValidationSubject,
  group: readonly string[],
): GraphIssues<'IMPLICIT_CONCURRENT_WRITE'> {
  const writers = new Map<string, string>();
  return group.flatMap((id) => {
    const node = nodes.get(id);
    const written = node ? channelsOfNode(node).filter(({ name }) => isExclusive(channels.get(name))) : [];
    return written.flatMap((write) => findConflict(writers, id, write));
  });
}

function findConflict(
  writers: Map<string, string>,
  id: string,
  { name, path }: LocatedName,
): GraphIssues<'IMPLICIT_CONCURRENT_WRITE'> {
  const other = writers.get(name);
  writers.set(name, id);
  if (other === undefined || other === id) return [];
  return [
    issueWarning(
      'IMPLICIT_CONCURRENT_WRITE',
      path,
      `"${other}" and "${id}" run together and both write "${name}", which keeps one value: the run would fail`,
      `Give channel "${name}" a reducer such as append or merge`,
    ),
  ];
}

function isExclusive(channel: Readonly<Record<string, unknown>> | undefined): boolean {
  return channel !== undefined && describeReducer(channel['reducer'])?.isExclusive === true;
}
