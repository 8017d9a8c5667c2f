export { checkInput, missingInput } from './check-input.ts';
export type { InputIssue } from './check-input.ts';
export { compileShared, findNode } from './compile.ts';
export type { CompiledGraph } from './compile.ts';
