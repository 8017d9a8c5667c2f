import { toJson } from '../../graph/values/index.ts';
import type { Message } from '../../graph/expression/index.ts';
import { mediaTypeOf, requirePlainJson } from '../http/media-type.ts';
import { readJsonText } from '../http/read-json.ts';
import type { Scheme } from './scheme.ts';
import type { SignedRequest } from './signed-request.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Headers that let somebody in; runs do not get them. */
const HIDDEN: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'stripe-signature',
  'webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-slack-signature',
]);

/**
 * Reads what a request says. Names of headers are in lower case; a form is an object of texts, and its `payload` is JSON.
 * @throws ApiError 415 for another media type, 400 or 422 as for each JSON body
 */
export function readMessage({ headers, bytes }: SignedRequest, { takesForms }: Scheme): Message {
  const isForm = takesForms && mediaTypeOf(headers) === FORM;
  if (!isForm) requirePlainJson(headers);
  return {
    body: isForm ? readForm(bytes) : readJson(bytes),
    headers: Object.fromEntries([...headers].filter(([name]) => !HIDDEN.has(name))),
  };
}

function readJson(bytes: Uint8Array) {
  const value: unknown = JSON.parse(readJsonText(bytes));
  return toJson(value);
}

/** Slack sends what people do with its buttons as JSON in a field of a form. */
function readForm(bytes: Uint8Array) {
  const fields = Object.fromEntries(new URLSearchParams(Buffer.from(bytes).toString('utf8')));
  const { payload } = fields;
  return payload === undefined ? fields : { ...fields, payload: readJson(Buffer.from(payload)) };
}
