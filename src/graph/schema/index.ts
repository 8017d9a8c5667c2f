export { definitionSchema } from './definition-schema.ts';
export { Duration, Retry, TimeSpan } from './field-schemas.ts';
export { Limits } from './graph-schema.ts';
export { Policy } from './node-schemas.ts';
