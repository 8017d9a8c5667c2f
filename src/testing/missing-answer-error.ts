/** The run wants an answer that the test does not give. `runGraph` throws it, whatever the graph does about failures. */
export class MissingAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MissingAnswerError';
  }
}
