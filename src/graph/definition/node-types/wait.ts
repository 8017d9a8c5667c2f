import { DURATION_PATTERN, parseDuration } from '../../values/duration.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import { parseTimestamp } from '../../values/timestamp.ts';
import type { CommonFields } from '../common-fields.ts';
import type { FieldProblem, DescriptionOf } from './node-description.ts';

/** Exactly one of `for`, `until` and `event`. */
export interface WaitFields extends CommonFields {
  /** A template for a duration: "30s", "5m", "2h", "7d". */
  readonly for?: string;
  /** A template for a time (RFC 3339). */
  readonly until?: string;
  /** A template for the name of an event. */
  readonly event?: string;
  /** With `event`: the time limit of the wait. The result is null then. */
  readonly timeout?: string;
}

const AWAITED_FIELDS = ['for', 'until', 'event'] as const;

export const wait: DescriptionOf<WaitFields> = {
  summary: 'Waits for a while, until a time, or for an event. Its result is what comes with the event.',
  templates: AWAITED_FIELDS,
  carries: {},
  shown: { event: ['event'], time: ['for', 'until'] },
  exactlyOne: AWAITED_FIELDS,
  findProblems: findWaitProblems,
  mayWait: true,
  hasOwnDeadline: true,
  editorSchemas: {
    for: { type: 'string', pattern: String.raw`\{\{|${DURATION_PATTERN}` },
    until: { type: 'string', pattern: String.raw`\{\{|^\d{4}-\d{2}-\d{2}T` },
  },
  look: { outline: 'flag', fill: 'E6F4F4', subject: AWAITED_FIELDS },
};

function findWaitProblems(fields: JsonObject): readonly FieldProblem[] {
  const given = AWAITED_FIELDS.flatMap((field) => {
    const value = fields[field];
    return value === undefined ? [] : [{ field, value }];
  });
  const [first, second] = given;
  if (first === undefined) return [{ field: null, message: 'A wait node needs one of for, until and event' }];
  if (second !== undefined)
    return [{ field: second.field, message: `A wait node takes ${first.field} or ${second.field}, not both` }];
  if (first.field !== 'event' && fields['timeout'] !== undefined)
    return [{ field: 'timeout', message: 'Only a wait for an event takes a timeout' }];
  return findMomentProblems(first.field, first.value);
}

/** Checks a moment that is not a template; a template has no value yet. */
function findMomentProblems(field: (typeof AWAITED_FIELDS)[number], value: Json): readonly FieldProblem[] {
  if (typeof value !== 'string' || value.includes('{{')) return [];
  if (field === 'for' && parseDuration(value) === null)
    return [
      { field, code: 'INVALID_DURATION', message: `"${value}" is no duration such as "30s", "5m", "2h" or "7d"` },
    ];
  if (field === 'until' && parseTimestamp(value) === null)
    return [{ field, message: `"${value}" is no RFC 3339 timestamp such as "2026-03-01T12:00:00Z"` }];
  return [];
}
