export type { CallPolicy, CallSettings, RetryPolicy, CallSafety } from './call-policy.ts';
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
export { CEILINGS, COUNTED_LIMITS, NO_CEILINGS } from './limits.ts';
export { END, START, NAME, INTERPRETER_VERSION, hasErrors, isDefinition } from './definition.ts';
export type {
  ChannelDefinition,
  Defaults,
  EdgeDefinition,
  ForEachEdge,
  GraphDefinition,
  NodeDefinition,
  NodeOfType,
  RouteEdge,
  GraphIssue,
} from './definition.ts';
export type { ApprovalPolicy } from './node-types/approval.ts';
export type { CustomNodeDefinition } from './node-types/custom.ts';
export type { NodeType } from './node-types/node-types.ts';
export { isCommand } from './command.ts';
export type { FunctionCommand } from './command.ts';
export { lowerDefaults, namesUsed, pinCatalog } from './pin-catalog.ts';
export { capDeadline, CALL_SAFETIES, EXECUTIONS, LOCAL_CALLS, LOCAL_LIMIT_MS, mayBeLocal } from './call-policy.ts';
export type { CountedLimit, Limits } from './limits.ts';
export { MEMORY_SEARCH_LIMIT, MEMORY_TOOLS } from './memory-tools.ts';
export { MEMORY_SAVE, MEMORY_SEARCH } from './node-types/offered-tool.ts';
export {
  answeredFilesOf,
  filesForModels,
  isMessage,
  isStoredFile,
  isSummary,
  messageProblem,
  toolCallsOf,
  isMessageContent,
  isFilePart,
  contentParts,
  sourceOfFile,
  textOf,
} from './message.ts';
export type {
  ContentPart,
  Message,
  ToolCall,
  FilePart,
  FileSource,
  MessageContent,
  StoredFilePart,
} from './message.ts';
export type { ProviderOptions, ReasoningEffort, ToolChoice } from './node-types/model-fields.ts';
export type { NamesUsed } from './pin-catalog.ts';
export type { ReducerName, ValueKindOf } from './reducers.ts';
export { orderByReferences, referencesIn, replaceReferences } from './references.ts';
export { BUILT_IN_ROLES, PERMISSIONS, permissionsOf } from './roles.ts';
export type { Permission, Roles } from './roles.ts';
export { TOKENS_OF_FILES, TOKENS_PER_MESSAGE } from './token-estimate.ts';
