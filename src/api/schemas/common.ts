import { DurationSchema, LimitsSchema } from '../../graph/schema/index.ts';
import { DURATION_PATTERN, formatTimestamp, isJsonObject, toTimestampMs } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { PROBLEM_EXAMPLE } from './examples.ts';
import { z } from './zod.ts';

export const ProblemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    instance: z.string(),
    issues: z
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          code: z.string().optional(),
          severity: z.string().optional(),
          hint: z.string().optional(),
        }),
      )
      .optional(),
    mayTakeEffect: z.literal(true).optional().openapi({
      description: 'Of a 503: a decision or control was passed on; the same key finds out what became of it',
    }),
  })
  .openapi('Problem', { description: 'A problem document (RFC 9457)', example: PROBLEM_EXAMPLE });

/** The limits of a graph, with the format of durations in the description. */
export const RunLimits = LimitsSchema.extend({
  deadline: DurationSchema.optional().openapi({ pattern: DURATION_PATTERN }),
});

export const NodeId = z.string().min(1);

/** Why somebody decides or controls something, in characters. */
export const Reason = z.string().max(2_000).optional();

/** A named schema or null; `nullable` would make every use of the name nullable in the description. */
export const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

/** A list in a response. */
export const listOf = <T extends z.ZodType>(item: T) => z.array(item).readonly();

/** Any JSON value in a request. */
export const AnyJson = z.unknown().openapi({ description: 'Any JSON value' });
/** Any JSON object, unchanged; a record schema would lose a member named `__proto__`. */
export const JsonRecord = z
  .custom<object>(isJsonObject, 'An object is expected here')
  .openapi({ type: 'object', additionalProperties: true });

/** JSON that the API returns unchanged. */
export const GivenJson = z
  .custom<Json>()
  .openapi({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'], description: 'Any JSON value' });
export const GivenRecord = z.custom<JsonObject>().openapi({ type: 'object', additionalProperties: true });
export const Time = z.string().openapi({ format: 'date-time' });
/** A time in a request, in UTC and in the range of the database. */
export const GivenTime = z.iso
  .datetime({ offset: true })
  .transform((time) => formatTimestamp(toTimestampMs(Date.parse(time))));
export const FilterTime = GivenTime.optional();

export const RunErrorSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    node: z.string().optional(),
    step: z.int().optional(),
    attempts: z.int().optional(),
    cause: z
      .object({
        code: z.string(),
        message: z.string(),
        stack: z.string().optional().openapi({
          description: 'Where configured code has thrown: one frame a line. Only for callers with `payload:read`',
        }),
      })
      .optional(),
  })
  .openapi('RunError');

/** A text that PostgreSQL can store. */
export const storableText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'No NUL, and no half of a surrogate pair');

/** The limit of all bodies except those with graphs, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;
/** The limit of bodies with graphs, in bytes. */
export const MAX_GRAPH_BYTES = 4 * 1_048_576;
/** The path parameter of routes for one resource. @param what the kind of resource, such as `run` */
export const idOf = (what: string) => z.object({ id: z.string().openapi({ description: `The id of the ${what}` }) });

/** The header of requests that change something, which `idempotent` parses. */
export const KeyHeader = z.object({
  'idempotency-key': z.string().optional().openapi({
    minLength: 1,
    maxLength: 255,
    description:
      'A text of your own. The same key and body give the first answer again, with `Idempotent-Replayed: true`, for 24 hours or longer',
  }),
});

/** The query of a route without parameters. */
export const NoQuery = z.strictObject({});

/** A number in a path or query, written in digits only. */
export const digitsBetween = (maximum: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `A whole number from 1 to ${maximum} is expected here, in digits only`)
    .transform(Number)
    .pipe(z.number().max(maximum))
    .openapi({ type: 'integer', minimum: 1, maximum });

const MAX_LIMIT = 200;
export const PageQuery = z.strictObject({
  limit: digitsBetween(MAX_LIMIT).default(50).openapi({
    default: 50,
    description: 'So many entries at most; fewer where these are large: a page ends at 8 MiB, and `nextCursor` goes on',
  }),
  cursor: z.string().min(1).optional().openapi({ description: 'The `nextCursor` of the page before' }),
});
export const NextCursor = z
  .string()
  .nullable()
  .openapi({ description: 'Asks for the next page; null: this was the last' });

/** The headers of some responses. */
const HEADERS = {
  etag: answerHeader('Names this state: an edit sends it as `If-Match`'),
  location: answerHeader('The path of what is new'),
  'preference-applied': answerHeader('`wait=N`, where the request preferred it'),
  'retry-after': answerHeader('Seconds after which the request may be sent again'),
} as const;

type HeaderName = keyof typeof HEADERS;

/** A filter by one status or several with commas between them. @param things what is filtered, in the plural */
export const statusFilter = <T extends Readonly<Record<string, string>>>(status: z.ZodEnum<T>, things: string) => {
  const names = status.options.join('|');
  const pattern = new RegExp(`^(?:${names})(?:,(?:${names})){0,${status.options.length - 1}}$`);
  return z
    .string()
    .regex(pattern, `One of ${names.replaceAll('|', ', ')} is expected here, or several with commas between them`)
    .transform((text) => text.split(','))
    .pipe(z.array(status))
    .optional()
    .openapi({
      type: 'string',
      pattern: pattern.source,
      description: `Only ${things} with this status; several with commas between them: one is enough`,
    });
};

/** An example of a list with one entry. */
export const pageExample = <T>(item: T) => ({ items: [item], nextCursor: null });

/** A page of a list. @param name its name in the description @param examples the items of its example */
export const pageOf = <T extends z.ZodType>(name: string, item: T, ...examples: readonly unknown[]) =>
  z
    .object({ items: listOf(item), nextCursor: NextCursor })
    .openapi(name, { example: { items: examples, nextCursor: null } });

const problemAnswer = (description: string, ...headers: readonly HeaderName[]) => ({
  description,
  ...withHeaders(headers),
  content: { 'application/problem+json': { schema: ProblemSchema } },
});

const PROBLEMS = {
  400: problemAnswer('The body is no JSON in UTF-8, or a cursor or key is not valid'),
  401: problemAnswer('No token, or a bad one'),
  403: problemAnswer('The caller may not do this'),
  404: problemAnswer('There is no such thing in this tenant'),
  405: problemAnswer('The method is not allowed here; `Allow` names those that are'),
  409: problemAnswer('The state of the thing does not allow this now'),
  410: problemAnswer('It is too late'),
  412: problemAnswer('What it was meant for has changed'),
  413: problemAnswer('The body is too large'),
  415: problemAnswer(
    'The body is not of a media type that this route takes; for most it is plain application/json in UTF-8',
  ),
  422: problemAnswer('The request is well-formed and wrong; `issues` names each place'),
  428: problemAnswer('An If-Match header is needed'),
  429: problemAnswer('Too many requests, or too soon; `Retry-After` says when to ask again', 'retry-after'),
  500: problemAnswer('A fault of the server; the detail names the request'),
  503: problemAnswer('Something behind the API is away; `Retry-After` says when to ask again', 'retry-after'),
} as const;

/** A status for which a route may describe a problem. */
export type ProblemStatus = keyof typeof PROBLEMS;

type ProblemAnswers = Record<number, ReturnType<typeof problemAnswer>>;

/** Builds the problem responses of a route: those of every route, and its own. */
export function problemAnswers(...own: readonly ProblemStatus[]): ProblemAnswers {
  const statuses = [401, 403, 405, 422, 500, 503, ...own] as const;
  return Object.fromEntries(statuses.map((status) => [status, PROBLEMS[status]]));
}

/** Builds a JSON response. @param headers the headers besides the usual ones */
export const jsonAnswer = <T extends z.ZodType>(schema: T, description: string, ...headers: readonly HeaderName[]) => ({
  description,
  ...withHeaders(headers),
  content: { 'application/json': { schema } },
});

function answerHeader(description: string) {
  return { description, schema: { type: 'string' as const } };
}

function withHeaders(names: readonly HeaderName[]) {
  return names.length === 0 ? {} : { headers: Object.fromEntries(names.map((name) => [name, HEADERS[name]])) };
}
