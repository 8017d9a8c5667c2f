import { isJsonList, isJsonObject } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';
import { nonBlankMember, numberMember, objectMember, objectMembers, presentMembers, textMember } from './members.ts';
import type { JsonMember } from './members.ts';

/** An error that a provider reported within an answer, after a successful status. */
export class ReportedError extends Error {
  /** The error in one form: its text in `message`, its names in `code` and `type`, and its other members. */
  readonly error: JsonObject;

  constructor(error: JsonObject) {
    super('The provider reported an error within its answer');
    this.name = 'ReportedError';
    this.error = error;
  }
}

/** Types of errors, such as `error`, `overloaded_error` and `BadRequestError`. */
const TYPE_OF_ERROR = /error$|exception$/i;

/** The members that only an answer has. */
const CONTENTS = ['choices', 'candidates', 'output', 'content', 'type', 'usageMetadata', 'usage_metadata'];
/** The members by which servers report an error instead of an answer. */
const REPORTS = ['error_message', 'message', 'detail', 'errors', 'msg'];

/**
 * Finds an error in an answer, or in an event of its stream. A member `error` that is null, false or empty is none.
 * @param name the event's name; an empty text if it has none
 * @returns `null` if there is none
 */
export function errorWithin(answer: JsonObject, name = ''): JsonObject | null {
  const [choice] = objectMembers(answer['choices']);
  const response = objectMember(answer['response']);
  const isReported =
    [answer['error'], choice?.['error'], response['error'], objectMember(answer['x_groq'])['error']].some(hasContent) ||
    [name, textMember(answer['type']) ?? '', textMember(answer['object']) ?? ''].some((type) =>
      TYPE_OF_ERROR.test(type),
    ) ||
    (numberMember(objectMember(answer['base_resp'])['status_code']) ?? 0) !== 0 ||
    (CONTENTS.every((member) => (answer[member] ?? null) === null) &&
      REPORTS.some((member) => hasContent(answer[member])));
  return isReported ? toProviderError(answer) : null;
}

function hasContent(member: JsonMember): boolean {
  if (isJsonObject(member)) return Object.keys(member).length > 0;
  return isJsonList(member) ? member.length > 0 : member === true || nonBlankMember(member) !== undefined;
}

/** Bounds the errors within errors that are looked into. */
const MAX_NESTED_ERRORS = 3;

/**
 * Converts an error of a provider to one form, whatever its own: an object, a text, a list, or an object that contains
 * one of these.
 */
export function toProviderError(value: Json, levels = MAX_NESTED_ERRORS): JsonObject {
  if (isJsonList(value)) return toProviderError(value[0] ?? null, levels);
  if (!isJsonObject(value)) return presentMembers({ message: nonBlankMember(value) });
  const inner = innerErrorOf(value);
  const names = {
    code: value['code'] ?? value['error_code'] ?? value['status_code'],
    type: value['error_type'] ?? value['type'],
  };
  if (inner === undefined || levels === 0)
    return { ...value, ...presentMembers({ ...names, message: errorMessageIn(value) }) };
  const found = toProviderError(inner, levels - 1);
  // The type of an object around an error object is that of the event.
  return isJsonObject(inner) ? found : { ...presentMembers(names), ...found };
}

function innerErrorOf(value: JsonObject): Json | undefined {
  const [choice] = objectMembers(value['choices']);
  const candidates = [
    value['error'],
    choice?.['error'],
    objectMember(value['response'])['error'],
    objectMember(value['x_groq'])['error'],
    value['errors'],
    value['base_resp'],
  ];
  return candidates.find((candidate) => candidate !== true && hasContent(candidate));
}

function errorMessageIn(value: JsonObject): string | undefined {
  const detail = value['detail'];
  const [first] = objectMembers(detail);
  const texts = [value['message'], value['error_message'], detail, first?.['msg'], value['msg'], value['status_msg']];
  return texts.map(nonBlankMember).find((text) => text !== undefined);
}
