import { ApiError } from './errors.ts';

const MAX_LENGTH = 255;
/** A media type with parameters (RFC 9110, section 8.3.1), in visible ASCII. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/;

/**
 * Reads the media type of a file; without one it is any bytes.
 * @throws ApiError 415 for what is no media type, and for a body in a coding
 */
export function readFileType(headers: Headers): string {
  const type = headers.get('content-type')?.trim() ?? 'application/octet-stream';
  const coding = headers.get('content-encoding') ?? 'identity';
  if (type.length > MAX_LENGTH || !MEDIA_TYPE.test(type))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `"${type}" is no media type of at most ${MAX_LENGTH} characters`);
  if (coding.trim().toLowerCase() !== 'identity')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `A file must come as it is, not in the coding "${coding}"`, {
      headers: { 'accept-encoding': 'identity' },
    });
  return type;
}
