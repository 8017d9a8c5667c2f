import { isSummary } from '../../graph/definition/index.ts';
import { keepLast } from './keep-last.ts';
import { groupMessages, isOfSystem } from './message-groups.ts';
import type { MessageGroup } from './message-groups.ts';
import type { ProcessingStep, StepContext } from './processing-step.ts';

/**
 * Asks for a summary of the oldest messages when not all of them fit: of so many that the others take half of the room,
 * which leaves the conversation space to grow. Where no summary can help, the oldest are left out as `last` does.
 */
export const summarize: ProcessingStep = (messages, context) => {
  if (context.count(messages) <= context.maxTokens) return messages;
  const cut = findCut(groupMessages(messages), context);
  return cut === null ? keepLast(messages, context) : { kind: 'overflow', messages: cut };
};

/** How many of the request's messages, from the first on, to summarize. */
function findCut(groups: readonly MessageGroup[], context: StepContext): number | null {
  const cuts = cutsOf(groups, context).filter(({ keptTokens }) => keptTokens <= context.maxTokens);
  const cut = cuts.find(({ keptTokens }) => keptTokens <= context.maxTokens / 2) ?? cuts.at(-1);
  return cut?.index ?? null;
}

/** A place in the request where it can be cut. */
interface Cut {
  readonly index: number;
  /** Tokens of what is sent in any case: the messages behind it, and the system's before it. */
  readonly keptTokens: number;
}

/** Cuts between groups that have something new to summarize before them; the newest message of the user is behind. */
function cutsOf(groups: readonly MessageGroup[], { count, indexes }: StepContext): readonly Cut[] {
  const spans = groups.map((group) => spanOf(group, indexes));
  const begins = beginsAfter(spans);
  let keptTokens = count(groups.flat());
  let index = 0;
  let isWorthwhile = false;
  return groups.slice(0, indexOfNewest(groups)).flatMap((group, at) => {
    index = Math.max(index, spans[at]?.end ?? 0);
    keptTokens -= isOfSystem(group) ? 0 : count(group);
    isWorthwhile ||= hasUnsummarized(group);
    return isWorthwhile && index <= (begins[at] ?? 0) ? [{ index, keptTokens }] : [];
  });
}

/** The newest group of the user; without one the last. */
function indexOfNewest(groups: readonly MessageGroup[]): number {
  const ofUser = groups.findLastIndex(([{ role }]) => role === 'user');
  return ofUser === -1 ? groups.length - 1 : ofUser;
}

/** Where the messages of a group stand in the request; ones that were put in stand nowhere. */
interface Span {
  readonly begin: number;
  readonly end: number;
}

function spanOf(group: MessageGroup, indexes: StepContext['indexes']): Span {
  const found = group.flatMap(({ id }) => indexes.get(id) ?? []);
  return { begin: Math.min(Infinity, ...found), end: Math.max(0, ...found.map((index) => index + 1)) };
}

/** For each group, where the first message of all later groups stands: a repair may have moved an answer forward. */
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
function hasUnsummarized(group: MessageGroup): boolean {
  return !isOfSystem(group) && !isSummary(group[0]);
}
