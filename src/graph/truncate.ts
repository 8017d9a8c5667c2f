/** The beginning of a text, whole letters only: half a surrogate pair is no text that protocol buffers can carry. */
export function truncate(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed();
}
