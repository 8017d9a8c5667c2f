import { z } from 'zod';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { toJson } from '../../graph/values/index.ts';

/** What the scripted model is asked. */
export interface Prompt {
  readonly system: string;
  /** The last message of the user. */
  readonly user: string;
  /** The JSON Schema that the answer has to fit; `null` for text. */
  readonly schema: Json;
}

/** A prompt to which tools belong: what was asked of them since the user spoke, and what they have answered. */
export interface Conversation extends Prompt {
  /** The names of those that may be asked for. */
  readonly tools: readonly string[];
  readonly calls: readonly AnsweredCall[];
}

export interface AskedCall {
  readonly name: string;
  readonly args: Json;
}

export interface AnsweredCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly answer: string;
}

/** A ticket, as far as the rules look at it. */
export const TicketSchema = z.object({ subject: z.string().default(''), body: z.string().default('') });
export type Ticket = z.output<typeof TicketSchema>;

/** What a reply may say. */
export const FactsSchema = z.object({
  situation: z.string().default('question'),
  language: z.string().default('en'),
  reference: z.string().default(''),
  orderNumbers: z.array(z.string()).default([]),
  order: z.object({ number: z.string(), item: z.string() }).nullable().default(null),
  amountRefunded: z.number().default(0),
  currency: z.string().nullable().default(null),
  rejectionReason: z.string().nullable().default(null),
});
export type Facts = z.output<typeof FactsSchema>;

/** The JSON between `<tag>` and `</tag>`, or an empty object where there is none. */
function readSection(text: string, tag: string): Json {
  const content = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1];
  try {
    return toJson(JSON.parse(content ?? '{}'));
  } catch {
    return {};
  }
}

/** The ticket that a prompt carries. */
export function readTicket({ user }: Prompt): Ticket {
  return TicketSchema.parse(readSection(user, 'ticket'));
}

/** The facts that a prompt carries. */
export function readFacts({ user }: Prompt): Facts {
  return FactsSchema.parse(readSection(user, 'facts'));
}

/** A section that is a text. */
export function readText({ user }: Prompt, tag: string): string {
  const value = readSection(user, tag);
  return typeof value === 'string' ? value : '';
}
