/** Reads JSON of this console's own, or of its API. Its type is the caller's. @throws SyntaxError */
export function readJson<T>(text: string): T;
export function readJson(text: string): unknown {
  return JSON.parse(text);
}
