import type { Facts, Ticket } from './prompt.ts';
import { PROMISE, SIGNATURE, findDictated } from './write-reply.ts';

/** A reply that failed its check, with the data for a revision. */
export interface FailedReply {
  readonly draft: string;
  readonly reason: string;
  readonly facts: Facts;
  readonly ticket: Ticket;
}

interface Repair {
  /** Matches reasons that this repair handles. */
  readonly about: RegExp;
  readonly apply: (paragraphs: readonly string[], failed: FailedReply) => readonly string[];
}

const REPAIRS: readonly Repair[] = [
  { about: /guarantee|promise/i, apply: withoutPromises },
  { about: /reference/i, apply: withReference },
];

/** Revises a reply by the reason of its failure. */
export function reviseReply(failed: FailedReply): string {
  const repair = REPAIRS.find(({ about }) => about.test(failed.reason));
  const paragraphs = failed.draft.split('\n\n');
  return (repair ? repair.apply(paragraphs, failed) : paragraphs).join('\n\n');
}

/** Removes promises, except for dictated text, which the model does not give up. */
function withoutPromises(paragraphs: readonly string[], { ticket }: FailedReply): readonly string[] {
  const dictated = findDictated(ticket);
  return paragraphs.filter((paragraph) => paragraph === dictated || !PROMISE.test(paragraph));
}

function withReference(paragraphs: readonly string[], { facts }: FailedReply): readonly string[] {
  return [...paragraphs.filter((paragraph) => paragraph !== SIGNATURE), facts.reference, SIGNATURE];
}
