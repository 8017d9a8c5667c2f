export { defineConfig, defineNodeType } from './config/load-config.ts';
export type { ConfigInput } from './config/load-config.ts';
export type { StoreOpener } from './config/store.ts';
export type { Store } from './store/store.ts';
export { defineFunction } from './config/define-function.ts';
export type { DefinedFunction } from './config/define-function.ts';
export { defineTool, tool } from './config/tool-methods.ts';
export type { CodeToolContext, ToolContext } from './activities/tools/tool.ts';
export type { NodeContext } from './activities/registered-code.ts';
export { result } from './activities/calls/run-code.ts';
export { CallError } from './activities/calls/call-error.ts';
export { END, START, textOf } from './graph/definition/index.ts';
export type {
  Catalog,
  FilePart,
  FunctionCommand,
  GraphDefinition,
  GraphIssue,
  MessageContent,
} from './graph/definition/index.ts';
export { StateGraph } from './builder/state-graph.ts';
export { InvalidGraphError } from './builder/invalid-graph-error.ts';
export type { BranchInput, ElementRoute, ForEachOptions } from './builder/state-graph.ts';
export type { CompileOptions, GraphSettings } from './builder/graph-settings.ts';
