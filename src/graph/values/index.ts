export {
  formatCount,
  pluralIf,
  shortJson,
  escapeInvisible,
  createDistinctTexts,
  abbreviate,
  errorChain,
  messageOf,
  truncate,
  hasCode,
} from './text.ts';
export { boundIssues } from './bound-issues.ts';
export { addToList, forgetOldest, mapValues, toList } from './collections.ts';
export { addDefaults } from './complete-value.ts';
export { didYouMean, withSuggestions } from './did-you-mean.ts';
export {
  DAY_MS,
  DURATION_PATTERN,
  HOUR_MS,
  MINUTE_MS,
  parseDuration,
  toMs,
  formatTimestamp,
  toTimestampMs,
} from './time.ts';
export { isRunError, isUnknownOutcome, MAX_MESSAGE, throwingFrame } from './errors.ts';
export type { RunError, RunErrorCode, TaskFailure, TokenUsage } from './errors.ts';
export { withoutText } from './error-without-text.ts';
export type { ErrorWithoutText } from './error-without-text.ts';
export { isBoolean, isExactly, isListOf, isNumber, isObjectOf, isText, orAbsent, orNull } from './guards.ts';
export type { Guard } from './guards.ts';
export { parsePointer, toPointer } from './json-pointer.ts';
export { compileJsonSchema, findSchemaProblems, isJsonSchema } from './json-schema.ts';
export type { JsonSchema, SchemaCheck, SchemaViolation } from './json-schema.ts';
export { jsonSize, MAX_INLINE_BYTES, remainingBytes } from './json-size.ts';
export {
  isContainer,
  isDeeperThan,
  isJsonList,
  isJsonObject,
  MAX_INPUT_DEPTH,
  own,
  toItems,
  toTemplateText,
} from './json.ts';
export { canonicalJson, deepEqual } from './compare-json.ts';
export { toJson, toJsonObject } from './to-json.ts';
export type { Json, JsonObject } from './json.ts';
export { allowsText } from './schema-parts.ts';
export { JsonLossError, LONG_INTEGER, findLosses, parseOutsideJson, parseDocument } from './parse-json.ts';
export type { JsonLoss } from './parse-json.ts';
export { tryWithAllowance, unitsSpent } from './meter.ts';
export { isLinearPattern } from './regular-expression.ts';
export { unreadablePlaceholder } from './unreadable.ts';
export { checkedMediaType, mediaTypeOf } from './media-type.ts';
export { DATA_KEYWORDS, NAMED_KEYWORDS } from './schema-parts.ts';
