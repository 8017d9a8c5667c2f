import type { JsonObject } from '../../values/json.ts';
import { ownFields } from '../custom-fields.ts';
import type { NodeDescription } from './node-description.ts';

/** A node of a type that code registers: each field of its own may be a template. */
export function describeCustom(fields: JsonObject): NodeDescription {
  return { templates: Object.keys(ownFields(fields)), look: { outline: 'cylinder', fill: 'EEEEEE' } };
}
