/** A provider told an error within an answer that had begun as a success. */
export class ToldError extends Error {
  readonly body: unknown;

  constructor(body: unknown) {
    super('The provider told an error within its answer');
    this.name = 'ToldError';
    this.body = body;
  }
}
