import type { MessageProcessor, ProcessingStep, StepContext } from './message-processor.ts';
import { answeredFilesOf, isSummary, toolCallsOf, textOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/definition/index.ts';
import { formatCount } from '../../graph/values/index.ts';

/**
 * Drops the oldest groups. The rest has no gap except after the newest user message. Required groups are kept even if
 * they exceed the limit.
 */
export const keepNewestMessages: MessageProcessor = (messages, { maxTokens, count }) => {
  const groups = groupMessages(messages);
  const kept = new Set<MessageGroup>(requiredGroups(groups));
  let remaining = maxTokens - count([...kept].flat());
  for (const group of groups.toReversed()) {
    if (kept.has(group)) continue;
    remaining -= count(group);
    if (remaining < 0) break;
    kept.add(group);
  }
  return groups.filter((group) => kept.has(group)).flat();
};

/**
 * Asks for a summary of the oldest messages if not all fit. The others should take half of the limit, so that the
 * conversation can grow. If no summary helps, the oldest messages are dropped as by `last`.
 */
export const summarizeOldest: ProcessingStep = (messages, context) => {
  if (context.count(messages) <= context.maxTokens) return messages;
  const cut = findCutIndex(groupMessages(messages), context);
  return cut === null ? keepNewestMessages(messages, context) : { kind: 'overflow', messages: cut };
};

/** The number of messages to summarize, from the beginning of the request; `null` if no cut helps. */
function findCutIndex(groups: readonly MessageGroup[], context: StepContext): number | null {
  const cuts = cutPoints(groups, context).filter(({ keptTokens }) => keptTokens <= context.maxTokens);
  const cut = cuts.find(({ keptTokens }) => keptTokens <= context.maxTokens / 2) ?? cuts.at(-1);
  return cut?.index ?? null;
}

/** A point at which the request can be cut. */
interface CutPoint {
  readonly index: number;
  /** Tokens that are sent in any case: the messages after the cut and the system messages before it. */
  readonly keptTokens: number;
}

/** The cut points between groups that have new text before them and the newest user message after them. */
function cutPoints(groups: readonly MessageGroup[], { count, indexes }: StepContext): readonly CutPoint[] {
  const spans = groups.map((group) => spanOfGroup(group, indexes));
  const begins = firstIndexesAfter(spans);
  let keptTokens = count(groups.flat());
  let index = 0;
  let isWorthwhile = false;
  return groups.slice(0, indexOfNewest(groups)).flatMap((group, at) => {
    index = Math.max(index, spans[at]?.end ?? 0);
    keptTokens -= isOfSystem(group) ? 0 : count(group);
    isWorthwhile ||= hasNewContent(group);
    return isWorthwhile && index <= (begins[at] ?? 0) ? [{ index, keptTokens }] : [];
  });
}

/** Index of the newest user group, else of the last group. */
function indexOfNewest(groups: readonly MessageGroup[]): number {
  const ofUser = groups.findLastIndex(([{ role }]) => role === 'user');
  return ofUser === -1 ? groups.length - 1 : ofUser;
}

/** Indexes of a group's messages in the request; a group of added messages has an empty span. */
interface GroupSpan {
  readonly begin: number;
  readonly end: number;
}

function spanOfGroup(group: MessageGroup, indexes: StepContext['indexes']): GroupSpan {
  const found = group.flatMap(({ id }) => indexes.get(id) ?? []);
  return { begin: Math.min(Infinity, ...found), end: Math.max(0, ...found.map((index) => index + 1)) };
}

/** The first index of all later groups, for each group: a repair may have moved an answer forward. */
function firstIndexesAfter(spans: readonly GroupSpan[]): readonly number[] {
  let begin = Infinity;
  return spans
    .toReversed()
    .map((span) => {
      const after = begin;
      begin = Math.min(begin, span.begin);
      return after;
    })
    .toReversed();
}

/** A summary alone is not summarized again. */
function hasNewContent(group: MessageGroup): boolean {
  return !isOfSystem(group) && !isSummary(group[0]);
}

/** Messages that are sent together or not at all: a single one, or one with tool calls and all its answers. */
export type MessageGroup = readonly [Message, ...Message[]];

/** Splits a conversation into groups, in order. @param messages output of `repairCalls` */
export function groupMessages(messages: readonly Message[]): readonly MessageGroup[] {
  const groups: MessageGroup[] = [];
  let at = 0;
  for (let first = messages[at]; first; first = messages[at]) {
    const group: MessageGroup = [first, ...messages.slice(at + 1, at + 1 + toolCallsOf(first).length)];
    groups.push(group);
    at += group.length;
  }
  return groups;
}

/** Groups that are always sent: system messages, the newest user message and the last message. */
export function requiredGroups(groups: readonly MessageGroup[]): ReadonlySet<MessageGroup> {
  const newestOfUser = groups.findLast(([{ role }]) => role === 'user');
  const required = [...groups.filter(isOfSystem), newestOfUser, groups.findLast((group) => !isOfSystem(group))];
  return new Set(required.flatMap((group) => (group ? [group] : [])));
}

export function isOfSystem([{ role }]: MessageGroup): boolean {
  return role === 'system';
}

/** In characters; shorter results without files are not worth replacing. */
const LARGE_RESULT = 200;

/**
 * Replaces large tool results and their files by a marker, the oldest first, until the conversation fits. The last group is kept: the
 * model has not seen it yet.
 */
export const shortenToolResults: MessageProcessor = (messages, { maxTokens, count }) => {
  let tokens = count(messages);
  const groups = groupMessages(messages);
  return groups.flatMap((group, at) =>
    group.map((message) => {
      if (tokens <= maxTokens || at === groups.length - 1 || !isLargeResult(message)) return message;
      const short = shortenMessage(message);
      tokens += count([short]) - count([message]);
      return short;
    }),
  );
};

function isLargeResult(message: Message): boolean {
  const isLarge = textOf(message.content).length > LARGE_RESULT || answeredFilesOf(message).length > 0;
  return message.role === 'tool' && isLarge;
}

function shortenMessage(message: Message): Message {
  const { content, files: _files, ...rest } = message;
  const files = answeredFilesOf(message).length;
  const size = `${textOf(content).length} characters${files > 0 ? ` and ${formatCount(files, 'file')}` : ''}`;
  return { ...rest, content: `[A result of ${size}, left out here]` };
}
