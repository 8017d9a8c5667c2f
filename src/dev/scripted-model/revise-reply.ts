import type { Facts, Ticket } from './prompt.ts';
import { PROMISE, SIGNATURE, findDictated } from './write-reply.ts';

/** A reply that failed its check, and all there is to mend it with. */
export interface FailedReply {
  readonly draft: string;
  readonly reason: string;
  readonly facts: Facts;
  readonly ticket: Ticket;
}

interface Repair {
  /** What the reason speaks of. */
  readonly about: RegExp;
  readonly apply: (paragraphs: readonly string[], failed: FailedReply) => readonly string[];
}

const REPAIRS: readonly Repair[] = [
  { about: /guarantee|promise/i, apply: withoutPromises },
  { about: /reference/i, apply: withReference },
];

/** Revises a reply by the reason that it failed for. */
export function reviseReply(failed: FailedReply): string {
  const repair = REPAIRS.find(({ about }) => about.test(failed.reason));
  const paragraphs = failed.draft.split('\n\n');
  return (repair ? repair.apply(paragraphs, failed) : paragraphs).join('\n\n');
}

/** What a customer has dictated stays: the model can't be talked out of it. */
function withoutPromises(paragraphs: readonly string[], { ticket }: FailedReply): readonly string[] {
  const dictated = findDictated(ticket);
  return paragraphs.filter((paragraph) => paragraph === dictated || !PROMISE.test(paragraph));
}

function withReference(paragraphs: readonly string[], { facts }: FailedReply): readonly string[] {
  return [...paragraphs.filter((paragraph) => paragraph !== SIGNATURE), facts.reference, SIGNATURE];
}
