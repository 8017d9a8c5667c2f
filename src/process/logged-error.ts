import { types } from 'node:util';
import { truncate, withoutText } from '../graph/values/index.ts';
import type { ErrorWithoutText } from '../graph/values/index.ts';
import { isDatabaseAway } from '../store/database/database-away.ts';
import { SetupError } from './setup-error.ts';

/** An error as a field of a log line. */
interface LoggedError extends Partial<ErrorWithoutText> {
  readonly type: string;
  /** The text; absent if it may quote a value of a run. */
  readonly message?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
  readonly [name: string]: unknown;
}

/** The depth of causes; deeper ones are omitted. */
const MAX_CAUSES = 4;
const MAX_ERRORS = 10;
const MAX_TEXT = 2_000;

/** Fields of errors of the system and the database that contain names and numbers, but no values. */
const FIELDS: ReadonlySet<string> = new Set([
  'address',
  'column',
  'constraint',
  'errno',
  'port',
  'routine',
  'schema',
  'severity',
  'syscall',
  'table',
]);

/**
 * Builds the field of a log line for an error of which no run is known. It has the class, codes and positions of the
 * error. Its text is kept only if it is built from names and addresses, because another one may quote a redacted value.
 */
export function toLoggedError(error: unknown, depth = MAX_CAUSES): LoggedError {
  if (!isError(error)) return { type: error === null ? 'null' : typeof error };
  const own: OwnFields = Object.fromEntries(Object.entries(error));
  const { code = own.type, errors } = own;
  const names = originOf(own) === null ? [] : Object.entries(own).filter(([name]) => FIELDS.has(name));
  return {
    ...withoutText(error, code),
    ...(saysNoValues(error, own) && { message: truncate(error.message, MAX_TEXT) }),
    ...Object.fromEntries(names),
    ...(depth > 0 && error.cause !== undefined && { cause: toLoggedError(error.cause, depth - 1) }),
    ...(depth > 0 && isList(errors) && { errors: errors.slice(0, MAX_ERRORS).map((one) => toLoggedError(one, 0)) }),
  };
}

interface OwnFields {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly errors?: unknown;
  readonly syscall?: unknown;
  readonly severity?: unknown;
  readonly metadata?: unknown;
}

/** Returns what has made an error; `null` if that is unknown. */
function originOf({ code, syscall, severity, metadata }: OwnFields): 'system' | 'database' | 'grpc' | null {
  if (typeof syscall === 'string') return 'system';
  if (typeof severity === 'string' && typeof code === 'string') return 'database';
  return typeof code === 'number' && metadata !== undefined ? 'grpc' : null;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Errors of other realms, such as those of workflow code, are no instances of this realm's class. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

/** True for an error whose text consists of names, addresses and settings. */
function saysNoValues(error: Error, own: OwnFields): boolean {
  if (error instanceof SetupError || isDatabaseAway(error)) return true;
  const origin = originOf(own);
  if (origin === 'database') return SQL_CLASSES.has(String(own.code).slice(0, 2));
  return origin === 'system' || (origin === 'grpc' && GRPC_CODES.has(Number(own.code)));
}

/**
 * Classes of the database's codes for connections, rights, missing databases, transactions, statements, resources and
 * operators. Errors about data (22, 23) quote it.
 */
const SQL_CLASSES: ReadonlySet<string> = new Set(['08', '25', '28', '3D', '40', '42', '53', '55', '57', '58']);

/** Codes of gRPC for servers that are away, and for missing rights: 4 and 14, 7 and 16. */
const GRPC_CODES: ReadonlySet<number> = new Set([4, 7, 14, 16]);
