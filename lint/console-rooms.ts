/* The rooms of console/src, bottom first, and what each may import. `test/unit/lint/console-rooms.test.ts` checks it. */

import type { Room } from './room.ts';

/** What any part that is shown may use. */
const SHOWN = ['react', 'wouter', '@tanstack/react-query', 'holdfast/client'];

/** A room of things that are shown. */
const shown = (rooms: readonly string[], packages: readonly string[] = []): Room => ({
  rooms,
  packages: [...SHOWN, ...packages],
});

/** What every page is built of. */
const COMMON = ['api', 'parts'];

const OF_RUNS = ['pages/runs/definition', 'pages/runs/history'];

export const CONSOLE_ROOMS: Readonly<Record<string, Room>> = {
  styles: { rooms: [] },
  session: { rooms: [], packages: ['react', 'oauth4webapi'] },
  api: shown(['session']),
  live: shown(['api']),
  parts: shown(['api', 'live'], ['dompurify', 'marked']),
  'sign-in': { rooms: ['session', 'parts'], packages: ['react'] },
  layout: shown([...COMMON, 'session', 'live']),
  diff: shown(['parts'], ['jsondiffpatch']),
  form: shown(COMMON),
  editor: { rooms: ['parts', 'form'], packages: ['react', 'jsonc-parser'] },
  graph: { rooms: ['form'], packages: ['react', '@dagrejs/dagre', '@xyflow/react'] },

  'pages/runs/parts': shown(COMMON, ['@tanstack/react-virtual']),
  'pages/runs/history': shown(COMMON),
  'pages/runs/definition': shown([...COMMON, 'form', 'graph']),
  'pages/runs/node': shown([...COMMON, 'live', 'pages/runs/history']),
  'pages/runs/graph': shown([...COMMON, 'form', 'graph', ...OF_RUNS, 'pages/runs/node'], ['@xyflow/react']),
  'pages/runs/timeline': {
    ...shown([...COMMON, 'live', 'graph', ...OF_RUNS, 'pages/runs/node', 'pages/runs/parts']),
    types: ['pages/runs/graph'],
  },
  'pages/runs/events': shown([...COMMON, 'pages/runs/history', 'pages/runs/parts']),
  'pages/runs/messages': shown([...COMMON, 'form', 'pages/runs/history']),
  'pages/runs/promote': shown([...COMMON, 'pages/runs/parts']),
  'pages/runs/actions': shown([
    ...COMMON,
    'diff',
    'form',
    'graph',
    ...OF_RUNS,
    'pages/runs/parts',
    'pages/runs/promote',
  ]),
  'pages/runs/state': shown([...COMMON, 'diff', 'pages/runs/history', 'pages/runs/actions']),
  'pages/runs/run': shown([
    ...COMMON,
    'pages/runs/history',
    'pages/runs/parts',
    'pages/runs/graph',
    'pages/runs/timeline',
    'pages/runs/events',
    'pages/runs/messages',
    'pages/runs/actions',
    'pages/runs/state',
  ]),
  'pages/runs/list': shown([...COMMON, 'pages/runs/parts']),
  'pages/runs/compare': shown([...COMMON, 'diff', 'pages/runs/parts']),
  'pages/runs': shown(['parts', 'pages/runs/history', 'pages/runs/run', 'pages/runs/list', 'pages/runs/compare']),

  'pages/inbox/decide': shown([...COMMON, 'session', 'live', 'diff', 'form']),
  'pages/inbox': shown([
    ...COMMON,
    'session',
    'live',
    'diff',
    'form',
    'pages/inbox/decide',
    'pages/runs/history',
    'pages/runs/graph',
    'pages/runs/messages',
  ]),

  'pages/graphs/graph': shown([...COMMON, 'form', 'graph']),
  'pages/graphs/list': shown([...COMMON, 'pages/graphs/graph']),
  'pages/graphs/versions': shown([...COMMON, 'pages/graphs/graph']),
  'pages/graphs/compare': shown([...COMMON, 'diff', 'graph', 'pages/graphs/graph']),
  'pages/graphs/aliases': shown([...COMMON, 'form', 'pages/graphs/graph']),
  'pages/graphs/edit': shown([...COMMON, 'session', 'form', 'editor', 'graph', 'pages/graphs/graph']),
  'pages/graphs/start': shown([...COMMON, 'form']),
  'pages/graphs/one': shown([
    ...COMMON,
    'pages/graphs/graph',
    'pages/graphs/versions',
    'pages/graphs/compare',
    'pages/graphs/aliases',
    'pages/graphs/edit',
    'pages/graphs/start',
  ]),
  'pages/graphs': shown(['pages/graphs/list', 'pages/graphs/edit', 'pages/graphs/one']),

  'pages/schedules/parts': shown(COMMON),
  'pages/schedules/list': shown([...COMMON, 'pages/schedules/parts']),
  'pages/schedules/form': shown([...COMMON, 'diff', 'form', 'pages/schedules/parts']),
  'pages/schedules/one': shown([...COMMON, 'form', 'pages/schedules/parts', 'pages/schedules/form']),
  'pages/schedules': shown(['pages/schedules/list', 'pages/schedules/form', 'pages/schedules/one']),

  'pages/webhooks/parts': shown(COMMON),
  'pages/webhooks/list': shown([...COMMON, 'pages/webhooks/parts']),
  'pages/webhooks/form': shown([...COMMON, 'form', 'pages/webhooks/parts']),
  'pages/webhooks/one': shown([...COMMON, 'pages/webhooks/parts']),
  'pages/webhooks/hooks': shown([...COMMON, 'form', 'pages/webhooks/parts']),
  'pages/webhooks': shown([
    'pages/webhooks/parts',
    'pages/webhooks/list',
    'pages/webhooks/form',
    'pages/webhooks/one',
    'pages/webhooks/hooks',
  ]),

  'pages/tools': shown(COMMON),

  'pages/admin/parts': shown(COMMON),
  'pages/admin/runs': shown([...COMMON, 'pages/admin/parts']),
  'pages/admin/one': shown(COMMON),
  'pages/admin/tenants': shown([...COMMON, 'form', 'pages/admin/parts']),
  'pages/admin/switches': shown([...COMMON, 'form', 'pages/admin/parts']),
  'pages/admin/audit': shown([...COMMON, 'pages/admin/parts']),
  'pages/admin/prune': shown(COMMON),
  'pages/admin': shown([
    ...COMMON,
    'pages/admin/runs',
    'pages/admin/one',
    'pages/admin/tenants',
    'pages/admin/switches',
    'pages/admin/audit',
    'pages/admin/prune',
  ]),

  pages: shown([
    'parts',
    'pages/inbox',
    'pages/runs',
    'pages/runs/run',
    'pages/graphs',
    'pages/schedules',
    'pages/webhooks',
    'pages/tools',
    'pages/admin',
  ]),
  'app.tsx': shown(['api', 'live', 'session', 'sign-in', 'layout', 'pages']),
  'show-app.tsx': { rooms: ['app.tsx'], packages: ['react', 'react-dom'] },
  'main.ts': { rooms: ['styles', 'pages', 'show-app.tsx'] },
};
