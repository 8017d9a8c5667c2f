/** The data with which the thread of an embedded database starts. */
export interface ThreadData {
  /** The URL of the loader for TypeScript; null if the code is JavaScript. */
  readonly reader: string | null;
  /** The URL of the thread's code. */
  readonly module: string;
  readonly folder: string;
}

/** A request to the thread. Requests are executed one after the other. */
export type DatabaseRequest = { readonly id: number } & DatabaseRequestBody;

export type DatabaseRequestBody =
  | { readonly kind: 'query'; readonly statement: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'exec'; readonly statements: string }
  | { readonly kind: 'close' };

/** The id of the message that reports whether the database was opened. */
export const OPENING = 0;

/**
 * A message of the thread: the response to the request with the same id, or a notification. The requester knows the
 * type of the rows.
 */
export type DatabaseMessage<Row = never> =
  | { readonly kind: 'answer'; readonly id: number; readonly result: SentResult<Row> | null }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly kind: 'notification'; readonly channel: string; readonly payload: string };

/** Rows whose JSON columns are still text, because text is copied and parsed faster than the objects. */
export interface SentResult<Row> {
  readonly rows: Row[];
  /** The names of the JSON columns. */
  readonly json: readonly string[];
  readonly affectedRows: number;
}

/** An error in a form that a message can carry, with the members by which database errors are recognized. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
}
