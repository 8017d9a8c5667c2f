export { Limits } from './definition-schema.ts';
export { Duration, Retry, TimeSpan } from './field-schemas.ts';
export { Policy } from './node-schemas.ts';
export { definitionSchema } from './json-schema-document.ts';
