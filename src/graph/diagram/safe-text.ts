/** Text without what no diagram can show: control characters and halves of surrogate pairs. Lines end with `\n`. */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)\p{Cc}/gu, '\uFFFD');
}
