/** Returns the media type of a content type, in lower case and without parameters (RFC 9110, section 8.3.1). */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}
