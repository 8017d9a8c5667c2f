import { AnyJson, JsonRecord, NodeId, Reason, RunLimits } from './common.ts';
import { z } from './zod.ts';

/** A signal that users send to a run by `POST /api/runs/{id}/<route>`. */
export interface Control {
  readonly signal: string;
  readonly route: string;
  readonly summary: string;
  /** The fields of the signal. */
  readonly body: z.ZodObject;
}

const Intervention = { node: NodeId.optional(), id: z.string().min(1).optional() };

/** The controls of runs, each of which has a route. */
export const CONTROLS = [
  {
    signal: 'pause',
    route: 'pause',
    summary: 'Stop after the superstep that runs',
    body: z.strictObject({ reason: Reason }).openapi('Pause', { example: { reason: 'the shop is closed' } }),
  },
  {
    signal: 'resume',
    route: 'resume',
    summary: 'Go on from a pause or a breakpoint',
    body: z
      .strictObject({ values: JsonRecord.optional(), checkpoint: z.string().min(1).optional() })
      .openapi('Resume', { example: { values: { number: 'A-1002' } } }),
  },
  {
    signal: 'replan',
    route: 'replan',
    summary: 'Go on at another node only',
    body: z
      .strictObject({ node: NodeId, values: JsonRecord.optional() })
      .openapi('Replan', { example: { node: 'lookup' } }),
  },
  {
    signal: 'event',
    route: 'signal',
    summary: 'Give an event to a wait node, now or later',
    body: z
      .strictObject({ event: z.string().min(1).max(255), payload: AnyJson.optional() })
      .openapi('EventSignal', { example: { event: 'parcel-arrived', payload: { parcel: 'P-1' } } }),
  },
  {
    signal: 'cancel',
    route: 'cancel',
    summary: 'End the run as canceled',
    body: z.strictObject({ reason: Reason }).openapi('Cancel', { example: { reason: 'asked for twice' } }),
  },
  {
    signal: 'retry',
    route: 'retry',
    summary: 'Do a node again that waits for an intervention',
    body: z
      .strictObject({ ...Intervention, limits: RunLimits.optional() })
      .openapi('Retry', { example: { node: 'lookup' } }),
  },
  {
    signal: 'skip',
    route: 'skip',
    summary: 'Go on without a node that waits for an intervention, with an output of yours',
    body: z
      .strictObject({ ...Intervention, output: AnyJson })
      .openapi('Skip', { example: { node: 'lookup', output: { orders: [] } } }),
  },
  {
    signal: 'fail',
    route: 'fail',
    summary: 'Give a node up that waits for an intervention',
    body: z
      .strictObject({ ...Intervention, reason: Reason })
      .openapi('Fail', { example: { node: 'lookup', reason: 'there is no such order' } }),
  },
] as const satisfies readonly Control[];
