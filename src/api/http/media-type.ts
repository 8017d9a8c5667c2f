import { ApiError } from './errors.ts';

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETER = new RegExp(`^\\s*(${TOKEN})=(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))\\s*$`);

/**
 * Requires a body that is JSON as it stands: `application/json` in UTF-8 (RFC 8259, section 8.1), without a coding.
 * @throws ApiError 415
 */
export function requirePlainJson(headers: Headers): void {
  const type = headers.get('content-type') ?? '';
  if (!isJson(type))
    throw notTaken(`The body must be application/json in UTF-8, not ${type === '' ? 'of no type' : `"${type}"`}`);
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding.trim().toLowerCase() !== 'identity')
    throw notTaken(`The body must come as it is, not in the coding "${coding}"`, { 'accept-encoding': 'identity' });
}

/** The media type of a body without its parameters, in lower case. */
export function mediaTypeOf(headers: Headers): string {
  return essenceOf(headers.get('content-type') ?? '');
}

function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

function isJson(type: string): boolean {
  return essenceOf(type) === 'application/json' && type.split(';').slice(1).every(isTaken);
}

/** Parameters other than the charset have no meaning for JSON. */
function isTaken(parameter: string): boolean {
  if (parameter.trim() === '') return true;
  const [, name = '', quoted, token = ''] = PARAMETER.exec(parameter) ?? [];
  if (name === '') return false;
  return name.toLowerCase() !== 'charset' || (quoted ?? token).toLowerCase() === 'utf-8';
}

function notTaken(message: string, headers: Readonly<Record<string, string>> = {}): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { headers });
}
