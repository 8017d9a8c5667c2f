export { checkInput, missingInput } from './check-input.ts';
export type { InputIssue } from './check-input.ts';
export { compileShared } from './compile.ts';
export type { CompiledGraph } from './compile.ts';
export { findNode } from './find-node.ts';
