export type { CallPolicy, CallSettings, RetryPolicy } from './call-policy.ts';
export { CATALOG_KINDS, DEFAULTS } from './catalog.ts';
export type {
  ApprovalRule,
  ApprovalTerms,
  Catalog,
  CatalogKind,
  FunctionEntry,
  ModelEntry,
  NodeTypeEntry,
  ToolEntry,
} from './catalog.ts';
export { CEILINGS, NO_CEILINGS } from './ceilings.ts';
export { END, START } from './definition.ts';
export type {
  ChannelDefinition,
  Defaults,
  EdgeDefinition,
  ForEachEdge,
  GraphDefinition,
  NodeDefinition,
  NodeOfType,
  RouteEdge,
} from './definition.ts';
export { NAME } from './name-patterns.ts';
export type { ApprovalPolicy } from './node-types/approval.ts';
export type { CustomNodeDefinition } from './node-types/custom.ts';
export type { NodeType } from './node-types/node-types.ts';
export { lowerDefaults } from './lower-defaults.ts';
export { INTERPRETER_VERSION } from './interpreter-version.ts';
export { capDeadline } from './call-policy.ts';
export { CALL_SAFETIES, EXECUTIONS, LOCAL_CALLS, LOCAL_LIMIT_MS, mayBeLocal } from './execution.ts';
export type { CallSafety } from './execution.ts';
export { hasErrors } from './issue.ts';
export type { GraphIssue } from './issue.ts';
export type { Limits } from './limits.ts';
export { MEMORY_SEARCH_LIMIT, MEMORY_TOOLS } from './memory-tools.ts';
export { MEMORY_SAVE, MEMORY_SEARCH } from './node-types/offered-tool.ts';
export { isMessage, isSummary, messageProblem, toolCallsOf } from './message.ts';
export type { Message, ToolCall } from './message.ts';
export { isContent, isFilePart, partsOf, sourceOf, textOf } from './message-content.ts';
export type { FilePart, FileSource, MessageContent } from './message-content.ts';
export type { ProviderOptions, ReasoningEffort, ToolChoice } from './model-options.ts';
export { namesUsed, pinCatalog } from './pin-catalog.ts';
export type { NamesUsed } from './pin-catalog.ts';
export type { ReducerName, ValueKindOf } from './reducers.ts';
export { isDefinition, referencesIn, replaceReferences } from './references.ts';
export { BUILT_IN_ROLES, PERMISSIONS, permissionsOf } from './roles/roles.ts';
export type { Permission, Roles } from './roles/roles.ts';
