/*
 * A strict parser for the subset of PlantUML's state diagrams that the engine writes: every line must have a known
 * form, every state is declared once, and every arrow connects declared states. It replaces PlantUML itself, which
 * needs Java.
 */

export interface ParsedStates {
  readonly states: ReadonlyMap<string, ParsedState>;
  readonly arrows: readonly ParsedArrow[];
}

interface ParsedState {
  readonly text: string;
  readonly colors: string;
  /** The enclosing state. */
  readonly inside: string | null;
  readonly isJoin: boolean;
}

interface ParsedArrow {
  /** `null` is the start or end point of the enclosing graph. */
  readonly from: string | null;
  readonly to: string | null;
  readonly style: string;
  readonly label: string;
  readonly inside: string | null;
}

const TEXT = String.raw`(?:[A-Za-z0-9 .,()=!?+:'_\-\u0080-\u{10FFFF}]|<U\+[0-9A-F]{4,5}>|\\n)*`;
const KEY = '[A-Za-z][A-Za-z0-9_]*';
const COLOR = '[0-9A-F]{6}';
const STATE = new RegExp(
  `^ *state "(?<text>${TEXT})" as (?<key>${KEY}) (?<colors>#${COLOR}(?:;line:${COLOR}|;line\\.bold|;line\\.dashed)*)(?<block> \\{)?$`,
  'u',
);
const JOIN = new RegExp(`^ *state (?<key>${KEY}) <<join>>$`);
const ARROW = new RegExp(
  `^ *(?<from>\\[\\*\\]|${KEY}) (?<style>-->|-\\[bold\\]->|-\\[dashed\\]->) (?<to>\\[\\*\\]|${KEY})(?: : (?<label>${TEXT}))?$`,
  'u',
);

/** @throws Error at the first invalid line */
export function parsePlantUml(text: string): ParsedStates {
  const lines = /^@startuml\nhide empty description\n(?<lines>.*)@enduml\n$/s.exec(text)?.groups?.['lines'];
  if (lines === undefined) throw new Error('The head or the end is missing');
  const reading: Reading = { states: new Map(), arrows: [], blocks: [] };
  for (const line of lines.split('\n').slice(0, -1)) {
    if (!READERS.some((read) => read(line, reading))) throw new Error(`This is no line of a state diagram: ${line}`);
  }
  const { states, arrows, blocks } = reading;
  if (blocks.length > 0) throw new Error(`A block is left open: ${blocks.join(', ')}`);
  const missing = arrows.flatMap(({ from, to }) => [from, to]).find((key) => key !== null && !states.has(key));
  if (missing !== undefined) throw new Error(`There is no state ${missing}`);
  return { states, arrows };
}

interface Reading {
  readonly states: Map<string, ParsedState>;
  readonly arrows: ParsedArrow[];
  readonly blocks: string[];
}

/** Each parser handles the lines that it recognizes. */
const READERS = [readState, readJoin, readArrow, readBlockEnd] as const;

function readState(line: string, { states, blocks }: Reading): boolean {
  const found = STATE.exec(line)?.groups;
  if (!found) return false;
  const { key = '', text = '', colors = '', block } = found;
  declare(states, key, { text: decode(text), colors, inside: blocks.at(-1) ?? null, isJoin: false });
  if (block !== undefined) blocks.push(key);
  return true;
}

function readJoin(line: string, { states, blocks }: Reading): boolean {
  const key = JOIN.exec(line)?.groups?.['key'];
  if (key === undefined) return false;
  declare(states, key, { text: '', colors: '', inside: blocks.at(-1) ?? null, isJoin: true });
  return true;
}

function declare(states: Map<string, ParsedState>, key: string, state: ParsedState): void {
  if (states.has(key)) throw new Error(`State ${key} is declared twice`);
  states.set(key, state);
}

function readArrow(line: string, { arrows, blocks }: Reading): boolean {
  const found = ARROW.exec(line)?.groups;
  if (!found) return false;
  const { from = '', to = '', style = '', label = '' } = found;
  arrows.push({ from: toKey(from), to: toKey(to), style, label: decode(label), inside: blocks.at(-1) ?? null });
  return true;
}

function toKey(name: string): string | null {
  return name === '[*]' ? null : name;
}

function readBlockEnd(line: string, { blocks }: Reading): boolean {
  return line.trim() === '}' && blocks.pop() !== undefined;
}

function decode(text: string): string {
  return text
    .replaceAll('\\n', '\n')
    .replaceAll(/<U\+([0-9A-F]+)>/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}
