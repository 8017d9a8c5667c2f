export { Duration, Limits, Policy, TimeSpan } from './definition-schema.ts';
export { definitionSchema } from './json-schema-document.ts';
