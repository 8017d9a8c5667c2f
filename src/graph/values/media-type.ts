const MEDIA_TYPE_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;
const MAX_MEDIA_TYPE_LENGTH = 255;

/** Returns a media type that another system has stated; `application/octet-stream` if it is none. */
export function checkedMediaType(contentType: string): string {
  const mediaType = mediaTypeOf(contentType);
  return mediaType.length <= MAX_MEDIA_TYPE_LENGTH && MEDIA_TYPE_PATTERN.test(mediaType)
    ? mediaType
    : 'application/octet-stream';
}

/** Returns the media type of a content type, in lower case and without parameters (RFC 9110, section 8.3.1). */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}
