import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { aDefinition } from '../support/builders/builders.ts';

/** Moments at which the day, the hour or the year differ between zones, or clocks are changed somewhere. */
const MOMENTS = ['2024-03-31T02:30:00Z', '2024-06-15T00:30:00Z', '2024-11-03T08:59:59Z', '2024-12-31T19:00:00+05:30'];

/** What the functions of times say of a moment. */
const SAID = [
  ...[
    'getFullYear',
    'getMonth',
    'getDate',
    'getDayOfMonth',
    'getDayOfWeek',
    'getDayOfYear',
    'getHours',
    'getMinutes',
  ].map((method) => `timestamp(item).${method}()`),
  'timestamp(item).getHours("+05:30")',
  'timestamp(item) + duration("36h")',
];

/** A run whose calls hang on times: in another zone it would call something else. */
export const times: GraphDefinition = aDefinition({
  name: 'times',
  channels: { moments: { default: MOMENTS } },
  nodes: {
    begin: { type: 'set' },
    late: { type: 'tool', tool: 'work', args: { job: SAID.map((said) => `{{ ${said} }}`).join(' ') } },
    night: { type: 'function', function: 'two' },
    choose: { type: 'set' },
    utc: { type: 'tool', tool: 'work', args: { job: 'utc' } },
    elsewhere: { type: 'wait', for: '1h' },
  },
  edges: [
    { from: '__start__', to: 'begin' },
    { from: 'begin', forEach: 'state.moments.filter(m, timestamp(m).getDayOfYear() == 166)', to: 'late' },
    { from: 'begin', forEach: 'state.moments.filter(m, timestamp(m).getHours() < 9)', to: 'night' },
    { from: 'night', to: 'choose' },
    {
      from: 'choose',
      route: 'string(timestamp(state.moments[0]).getHours()) + " " + string(timestamp(state.moments[3]).getFullYear())',
      paths: { '2 2024': 'utc' },
      default: 'elsewhere',
    },
  ],
});
