import type { Refusal } from './occurrence.ts';

/** Refuses a control that may mean several interventions. @param names their ids and nodes, as text */
export function refuseSeveral(names: string): Refusal {
  return {
    code: 'INTERVENTION_ID_REQUIRED',
    message: `Several nodes wait for an intervention; name one by id: ${names}`,
  };
}
