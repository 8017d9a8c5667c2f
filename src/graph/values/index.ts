export { boundIssues, escapeInvisible, shortJson } from './short-json.ts';
export { addToList, forgetOldest, mapValues, toList } from './collections.ts';
export { withDefaults } from './complete-value.ts';
export { didYouMean, withSuggestions } from './did-you-mean.ts';
export { createDistinctTexts, abbreviate, errorChain, hasCode, messageOf, truncate } from './text.ts';
export { DURATION_PATTERN, parseDuration, toMs, formatTimestamp, toTimestampMs } from './time.ts';
export { isRunError, isUnknownOutcome, MAX_MESSAGE } from './errors.ts';
export type { RunError, RunErrorCode, TaskFailure, TokenUsage } from './errors.ts';
export { isBoolean, isExactly, isListOf, isNumber, isObjectOf, isText, orAbsent, orNull } from './guards.ts';
export type { Guard } from './guards.ts';
export { parsePointer, toPointer } from './json-pointer.ts';
export { compileJsonSchema, findSchemaProblems, isJsonSchema } from './json-schema.ts';
export type { JsonSchema, SchemaCheck, SchemaViolation } from './json-schema.ts';
export { jsonSize, MAX_INLINE_BYTES, remainingBytes } from './json-size.ts';
export {
  canonicalJson,
  deepEqual,
  isDeeperThan,
  isJsonList,
  isContainer,
  isJsonObject,
  own,
  toItems,
  toJson,
  toJsonObject,
  toText,
} from './json.ts';
export type { Json, JsonObject } from './json.ts';
export { allowsText } from './schema-parts.ts';
export { JsonLossError, LONG_INTEGER, lossesIn, parseAnswer, parseDocument } from './parse-json.ts';
export type { JsonLoss } from './parse-json.ts';
export { tryWithAllowance, unitsSpent } from './meter.ts';
export { compilePattern } from './regular-expression.ts';
export { unreadable } from './unreadable.ts';
