export { Limits, definitionSchema } from './json-schema-document.ts';
export { Duration, Retry, TimeSpan } from './descriptions.ts';
export { Policy } from './node-schemas.ts';
