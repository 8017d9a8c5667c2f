import type { ReplyFacts, PromptTicket } from './prompt.ts';
import { PROMISE, SIGNATURE, findDictatedText, toAmountText } from './write-reply.ts';

export interface ReplyCheck {
  readonly verdict: 'pass' | 'fail';
  readonly reason: string;
}

interface ReviewRule {
  readonly breaks: (draft: string, facts: ReplyFacts) => boolean;
  readonly reason: string;
}

const REVIEW_RULES: readonly ReviewRule[] = [
  { breaks: (draft) => PROMISE.test(draft), reason: 'Leave out the guarantee: the facts hold none.' },
  {
    breaks: (draft, { reference }) => !draft.split('\n').includes(reference),
    reason: 'Add the reference line exactly as the facts give it.',
  },
  {
    breaks: (draft, { amountRefunded }) => amountRefunded > 0 && !draft.includes(toAmountText(amountRefunded)),
    reason: 'State the amount that was refunded.',
  },
];

/** Checks a reply; the reason is the first rule that it breaks. */
export function checkReply(draft: string, facts: ReplyFacts): ReplyCheck {
  const broken = REVIEW_RULES.find(({ breaks }) => breaks(draft, facts));
  return broken ? { verdict: 'fail', reason: broken.reason } : { verdict: 'pass', reason: '' };
}

/** A reply that failed its check, with the data for a revision. */
export interface FailedReply {
  readonly draft: string;
  readonly reason: string;
  readonly facts: ReplyFacts;
  readonly ticket: PromptTicket;
}

interface ReplyRepair {
  /** Matches reasons that this repair handles. */
  readonly about: RegExp;
  readonly apply: (paragraphs: readonly string[], failed: FailedReply) => readonly string[];
}

const REPAIRS: readonly ReplyRepair[] = [
  { about: /guarantee|promise/i, apply: removePromises },
  { about: /reference/i, apply: addReference },
];

/** Revises a reply by the reason of its failure. */
export function reviseReply(failed: FailedReply): string {
  const repair = REPAIRS.find(({ about }) => about.test(failed.reason));
  const paragraphs = failed.draft.split('\n\n');
  return (repair ? repair.apply(paragraphs, failed) : paragraphs).join('\n\n');
}

/** Removes promises, except for dictated text, which the model does not give up. */
function removePromises(paragraphs: readonly string[], { ticket }: FailedReply): readonly string[] {
  const dictated = findDictatedText(ticket);
  return paragraphs.filter((paragraph) => paragraph === dictated || !PROMISE.test(paragraph));
}

function addReference(paragraphs: readonly string[], { facts }: FailedReply): readonly string[] {
  return [...paragraphs.filter((paragraph) => paragraph !== SIGNATURE), facts.reference, SIGNATURE];
}
