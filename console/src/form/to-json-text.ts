import { visible } from '../parts/visible.ts';

/** Writes a value as JSON to edit. Letters that are not seen become escapes of JSON, so that they are read again as they were. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  if (visible(text) === text) return text;
  return text.replaceAll(/./gsu, (letter) => (visible(letter) === letter ? letter : escapeInJson(letter)));
}

function escapeInJson(letter: string): string {
  const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
