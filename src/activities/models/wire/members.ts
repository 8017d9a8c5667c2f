import { isJsonList, isJsonObject, parseOutsideJson } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';

/*
 * Tolerant readers of members of a provider's answer. A member in an unusual form is converted, one that makes no
 * sense counts as absent.
 */

/** A member of an answer as parsed from JSON; `undefined` if it is absent. */
export type JsonMember = Json | undefined;

/** Returns a member by its name in camel case, or by the same name in snake case. */
export function memberNamed(object: JsonObject, name: string): JsonMember {
  return object[name] ?? object[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? undefined;
}

/** Returns an object; an empty one for anything else. */
export function objectMember(member: JsonMember): JsonObject {
  return isJsonObject(member) ? member : {};
}

/** Returns the objects of a list. A single object counts as a list of one. */
export function objectMembers(member: JsonMember): readonly JsonObject[] {
  if (isJsonObject(member)) return [member];
  return isJsonList(member) ? member.filter(isJsonObject) : [];
}

/** Returns a text; a number becomes one, as ids sometimes are numbers. */
export function textMember(member: JsonMember): string | undefined {
  if (typeof member === 'number') return String(member);
  return typeof member === 'string' ? member : undefined;
}

/** Returns a text that is not blank. */
export function nonBlankMember(member: JsonMember): string | undefined {
  const text = textMember(member)?.trim();
  return text === '' ? undefined : text;
}

/** Returns a finite number; a text that spells one becomes it. */
export function numberMember(member: JsonMember): number | undefined {
  const isNumeral = typeof member === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(member);
  const number = isNumeral ? Number(member) : member;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Returns the arguments of a tool call as JSON text: some servers send the value itself. */
export function argumentsText(member: JsonMember): string | undefined {
  if (member === undefined || member === null) return undefined;
  return typeof member === 'string' ? member : JSON.stringify(member);
}

/** Parses arguments that come as JSON text, none for a blank text; a text that is no JSON stays as it is. */
export function parseArguments(text: string): Json {
  try {
    return text.trim() === '' ? {} : parseOutsideJson(text, () => true);
  } catch {
    return text;
  }
}

/** Returns the text of a content: a text, a part with a `text`, or a list of these. */
export function joinedTextIn(member: JsonMember): string {
  const parts = isJsonList(member) ? member : [member];
  return parts.map((part) => textMember(isJsonObject(part) ? (part['text'] ?? part['content']) : part) ?? '').join('');
}

/** Makes an object of the members that are present. */
export function presentMembers(members: Readonly<Record<string, JsonMember>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

/** Returns the numbers of a usage under the given names; `undefined` if none of them is a number. */
export function usageCounts(member: JsonMember, names: readonly string[]): JsonObject | undefined {
  const usage = objectMember(member);
  const counts = presentMembers(Object.fromEntries(names.map((name) => [name, numberMember(usage[name])])));
  return Object.keys(counts).length === 0 ? undefined : counts;
}
