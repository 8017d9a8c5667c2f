import type { JsonObject } from '../values/json.ts';
import type { Refusal } from './occurrence.ts';

/** What a control may name an intervention by. */
interface InterventionNames {
  readonly id: string;
  readonly node: string;
}

/** Returns true if the payload of a control names the intervention, or none. */
export function isNamed({ node, id }: JsonObject, names: InterventionNames): boolean {
  return (node ?? names.node) === names.node && (id ?? names.id) === names.id;
}

/** Refuses a control that may mean several interventions. @param names their ids and nodes, as text */
export function refuseSeveral(names: string): Refusal {
  return {
    code: 'INTERVENTION_ID_REQUIRED',
    message: `Several nodes wait for an intervention; name one by id: ${names}`,
  };
}
