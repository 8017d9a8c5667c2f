/** The newest interpreter. docs/versioning.md explains when and how to raise it. */
export const INTERPRETER_VERSION = 1;
