export { Duration, Limits, Policy, Retry, TimeSpan } from './definition-schema.ts';
export { definitionSchema } from './json-schema-document.ts';
