import { z } from 'zod';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { toJson } from '../../graph/values/index.ts';

/** A prompt for the scripted model. */
export interface ScriptedPrompt {
  readonly system: string;
  /** The last user message. */
  readonly user: string;
  /** JSON Schema of the answer; `null` for text. */
  readonly schema: Json;
}

/** A prompt with tools, and their calls since the last user message. */
export interface ScriptedConversation extends ScriptedPrompt {
  /** Names of the available tools. */
  readonly tools: readonly string[];
  readonly calls: readonly AnsweredCall[];
}

export interface ScriptedCall {
  readonly name: string;
  readonly args: Json;
}

export interface AnsweredCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly answer: string;
}

/** The fields of a ticket that the rules use. */
export const PromptTicketSchema = z.object({ subject: z.string().default(''), body: z.string().default('') });
export type PromptTicket = z.output<typeof PromptTicketSchema>;

/** Facts that a reply may state. */
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
export type ReplyFacts = z.output<typeof FactsSchema>;

/** Reads the JSON between `<tag>` and `</tag>`; an empty object without it. */
function readSection(text: string, tag: string): Json {
  const content = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1];
  try {
    return toJson(JSON.parse(content ?? '{}'));
  } catch {
    return {};
  }
}

/** Reads the ticket in a prompt. */
export function readTicket({ user }: ScriptedPrompt): PromptTicket {
  return PromptTicketSchema.parse(readSection(user, 'ticket'));
}

/** Reads the facts in a prompt. */
export function readFacts({ user }: ScriptedPrompt): ReplyFacts {
  return FactsSchema.parse(readSection(user, 'facts'));
}

/** Reads a section that is a text. */
export function readPromptText({ user }: ScriptedPrompt, tag: string): string {
  const value = readSection(user, tag);
  return typeof value === 'string' ? value : '';
}
