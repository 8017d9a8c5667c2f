/** What the thread of an embedded database is given. */
export interface ThreadData {
  /** The URL of what reads TypeScript; null if the code is JavaScript. */
  readonly reader: string | null;
  /** The URL of the thread's code. */
  readonly module: string;
  readonly folder: string;
}

/** What the thread is asked. Requests are done one after the other. */
export type Request = { readonly id: number } & RequestBody;

export type RequestBody =
  | { readonly kind: 'query'; readonly statement: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'exec'; readonly statements: string }
  | { readonly kind: 'close' };

/** The id of the answer that the database is open, or is not. */
export const OPENING = 0;

/**
 * A message of the thread: the answer to the request of the same id, or a notification. The type of the rows is known
 * where the request was made.
 */
export type Message<Row = never> =
  | { readonly kind: 'answer'; readonly id: number; readonly result: SentResult<Row> | null }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly kind: 'notification'; readonly channel: string; readonly payload: string };

/** Rows whose JSON is still text, because text is copied and read faster than what it stands for. */
export interface SentResult<Row> {
  readonly rows: Row[];
  /** The names of the columns of JSON. */
  readonly json: readonly string[];
  readonly affectedRows: number;
}

/** An error as a message can hold it, with the members by which database errors are recognized. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly stack: string | undefined;
}
