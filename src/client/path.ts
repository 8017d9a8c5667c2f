/** Makes a path of text with ids in it. @throws TypeError for an id that would lead to another route */
export function path(texts: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...ids.map(toSegment));
}

function toSegment(id: string | number): string {
  const text = String(id);
  if (['', '.', '..'].includes(text)) throw new TypeError(`"${text}" is no id or name`);
  return encodeURIComponent(text);
}
