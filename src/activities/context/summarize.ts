import { isSummary } from '../../graph/definition/index.ts';
import { keepLast } from './keep-last.ts';
import { groupMessages, isOfSystem } from './message-groups.ts';
import type { MessageGroup } from './message-groups.ts';
import type { ProcessingStep, StepContext } from './processing-step.ts';

/**
 * Asks for a summary of the oldest messages if not all fit. The others should take half of the limit, so that the
 * conversation can grow. If no summary helps, the oldest messages are dropped as by `last`.
 */
export const summarize: ProcessingStep = (messages, context) => {
  if (context.count(messages) <= context.maxTokens) return messages;
  const cut = findCut(groupMessages(messages), context);
  return cut === null ? keepLast(messages, context) : { kind: 'overflow', messages: cut };
};

/** The number of messages to summarize, from the beginning of the request; `null` if no cut helps. */
function findCut(groups: readonly MessageGroup[], context: StepContext): number | null {
  const cuts = cutsOf(groups, context).filter(({ keptTokens }) => keptTokens <= context.maxTokens);
  const cut = cuts.find(({ keptTokens }) => keptTokens <= context.maxTokens / 2) ?? cuts.at(-1);
  return cut?.index ?? null;
}

/** A point at which the request can be cut. */
interface Cut {
  readonly index: number;
  /** Tokens that are sent in any case: the messages after the cut and the system messages before it. */
  readonly keptTokens: number;
}

/** Cuts between groups, with something new to summarize before them and the newest user message after them. */
function cutsOf(groups: readonly MessageGroup[], { count, indexes }: StepContext): readonly Cut[] {
  const spans = groups.map((group) => spanOf(group, indexes));
  const begins = beginsAfter(spans);
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
interface Span {
  readonly begin: number;
  readonly end: number;
}

function spanOf(group: MessageGroup, indexes: StepContext['indexes']): Span {
  const found = group.flatMap(({ id }) => indexes.get(id) ?? []);
  return { begin: Math.min(Infinity, ...found), end: Math.max(0, ...found.map((index) => index + 1)) };
}

/** The first index of all later groups, for each group: a repair may have moved an answer forward. */
function beginsAfter(spans: readonly Span[]): readonly number[] {
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
