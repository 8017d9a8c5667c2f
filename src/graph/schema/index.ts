export { definitionSchema } from './definition-schema.ts';
export { DurationSchema, RetrySchema, TimeSpanSchema } from './field-schemas.ts';
export { LimitsSchema } from './graph-schema.ts';
export { ApprovalPolicySchema } from './node-schemas.ts';
