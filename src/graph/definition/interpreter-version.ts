/** The newest interpreter; docs/versioning.md says when it is raised, and how. */
export const INTERPRETER_VERSION = 1;
