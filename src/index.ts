/** What a configuration file imports. */
export { defineConfig, defineNodeType } from './config.ts';
export type { ConfigInput } from './config.ts';
export { defineTool } from './config/define-tool.ts';
export { tool } from './config/tool-methods.ts';
export type { CodeToolContext } from './activities/tools/code-tool.ts';
export { CallError } from './activities/call-error.ts';
/** What code that writes graphs imports. */
export { END, START } from './graph/definition.ts';
export type { Catalog } from './graph/catalog.ts';
export type { GraphDefinition } from './graph/definition.ts';
export type { GraphIssue } from './graph/issue.ts';
export { StateGraph } from './builder/state-graph.ts';
export { InvalidGraphError } from './builder/invalid-graph-error.ts';
export type { BranchInput, ForEachOptions } from './builder/edge-input.ts';
export type { CompileOptions, GraphSettings } from './builder/graph-settings.ts';
