import type { JsonObject } from '../../values/json.ts';
import { ownFields } from '../custom-fields.ts';
import type { NodeDescription } from './node-description.ts';

/** Describes a node of a type that code registers. Every field that its type defines may be a template. */
export function describeCustom(fields: JsonObject): NodeDescription {
  return { templates: Object.keys(ownFields(fields)), look: { outline: 'cylinder', fill: 'EEEEEE' } };
}
