import * as fc from 'fast-check';
import type { OccurrenceBody } from '../../../src/graph/run/occurrence.ts';
import { signals } from '../../../src/graph/signals/receive-signal.ts';
import type { Json } from '../../../src/graph/values/json.ts';

/* Signals of any kind and payload; many are almost valid. */

const json: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const nodeIds = fc.constantFrom('n0', 'n1', 'n2', '', '__start__', '__end__', 'constructor', '__proto__');
const values = fc.oneof(
  json,
  fc.dictionary(fc.constantFrom('log', 'total', 'chat', 'bag', 'last', 'folded', 'all', '__proto__', 'nope'), json, {
    maxKeys: 3,
  }),
);

const nearlyRight: fc.Arbitrary<Json> = fc
  .record(
    {
      signalId: fc.oneof(fc.constantFrom('d1', 'd2'), json),
      by: fc.oneof(fc.record({ sub: fc.constant('ada'), roles: fc.constant(['approver']) }), json),
      node: fc.oneof(nodeIds, json),
      asNode: fc.oneof(nodeIds, json),
      id: fc.oneof(fc.constantFrom('n0:1', 'n1:1', 'n0/n0:1'), json),
      approvalId: fc.oneof(fc.constantFrom('run-1.a1', 'run-1.a2', '__proto__', 'toString'), json),
      output: json,
      values,
      args: json,
      reason: fc.oneof(fc.string(), json),
      event: fc.oneof(fc.constantFrom('go', 'other', '__proto__'), json),
      payload: json,
      checkpoint: fc.oneof(fc.constant('run-1.c1'), json),
    },
    { requiredKeys: [] },
  )
  .map((payload) => JSON.parse(JSON.stringify(payload)));

export type RandomSignal = OccurrenceBody & { readonly kind: 'signal' };

export const randomSignal: fc.Arbitrary<RandomSignal> = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...signals.keys()) },
      { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '__stack_trace') },
      { weight: 1, arbitrary: fc.string() },
    ),
    fc.oneof(
      { weight: 3, arbitrary: signalOf(nearlyRight) },
      { weight: 1, arbitrary: json },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
  )
  .map(([name, payload]) => ({ kind: 'signal', name, payload }));

/** Picks only a few fields: a payload with all of them is refused because of the unknown ones. */
function signalOf(payloads: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.tuple(payloads, fc.array(fc.nat(12), { maxLength: 3 })).map(([payload, picks]) => {
    const entries = Object.entries(payload ?? {});
    return Object.fromEntries(picks.flatMap((at) => (entries[at] ? [entries[at]] : [])));
  });
}
