/**
 * Lists the texts in which another system may send a secret back: as it is, escaped once or twice for JSON, escaped for
 * HTML or URLs, and its bytes in hexadecimal and Base64.
 */
export function encodingsOf(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const urls = urlEncodings(text);
  return [
    ...new Set([
      secret,
      ...jsonEncodings(text).flatMap((escaped) => [escaped, escapeJson(escaped)]),
      escapeHtml(text),
      ...urls,
      ...urls.map(withLowerEscapes),
      hex,
      hex.toUpperCase(),
      ...base64Encodings(bytes),
    ]),
  ];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** JSON as encoders write it by default: some escape what is not ASCII, slashes, or what HTML knows. */
function jsonEncodings(text: string): readonly string[] {
  const plain = escapeJson(text);
  const ascii = plain.replaceAll(/[^\0-~]/g, escapeUnit);
  const upper = plain.replaceAll(/[^\0-~]/g, (unit) => String.raw`\u${escapeUnit(unit).slice(2).toUpperCase()}`);
  const forHtml = (json: string): string => json.replaceAll(/[<>&']/g, escapeUnit);
  const slashes = (json: string): string => json.replaceAll('/', String.raw`\/`);
  return [plain, ascii, upper, forHtml(plain), forHtml(ascii), slashes(plain), slashes(ascii)];
}

function escapeUnit(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? character);
}

function urlEncodings(text: string): readonly string[] {
  const component = encodeURIComponent(text);
  const strict = component.replaceAll(/[!'()*]/g, escapeByte);
  const form = strict.replaceAll('~', '%7E').replaceAll('%2A', '*').replaceAll('%20', '+');
  return [component, strict, form, encodeURI(text), encodeURIComponent(component)];
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function withLowerEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
}

/**
 * Base64 of the bytes, alone and behind one or two other bytes, which shift all characters. Characters that depend on
 * the bytes before are left out.
 */
function base64Encodings(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(Math.ceil((offset * 4) / 3));
    return [shifted, shifted.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
