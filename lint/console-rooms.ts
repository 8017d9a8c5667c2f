/* The rooms of console/src, bottom first, and what each may import. `test/unit/lint/console-rooms.test.ts` checks it. */

import type { Room } from './room.ts';

/** Packages of every room with components. */
const VIEW_PACKAGES = ['react', 'wouter', '@tanstack/react-query', 'holdfast/client'];

/** A room with components. */
const view = (rooms: readonly string[], packages: readonly string[] = []): Room => ({
  rooms,
  packages: [...VIEW_PACKAGES, ...packages],
});

const CODE_MIRROR = [
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/lang-json',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/search',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
];

/** Rooms that every page may use. */
const COMMON = ['api', 'parts', 'form', 'pages/paths.ts'];

export const CONSOLE_ROOMS: Readonly<Record<string, Room>> = {
  styles: { rooms: [] },
  session: { rooms: [], packages: ['react', 'oauth4webapi'] },
  api: view(['session']),
  parts: view(['api'], ['dompurify', 'jsondiffpatch', 'marked']),
  layout: view(['session', 'api', 'parts']),
  form: view(['api', 'parts']),
  editor: {
    rooms: ['parts', 'form'],
    packages: ['react', 'react-dom', 'jsonc-parser', ...CODE_MIRROR],
  },
  graph: { rooms: ['form'], packages: ['react', '@dagrejs/dagre', '@xyflow/react'] },

  'pages/paths.ts': { rooms: [] },
  'pages/runs/parts': view(['parts'], ['@tanstack/react-virtual']),
  'pages/runs/data': view([...COMMON, 'graph']),
  'pages/runs/messages': view([...COMMON, 'pages/runs/data']),
  'pages/runs/graph': view([...COMMON, 'graph', 'pages/runs/data'], ['@xyflow/react']),
  'pages/runs/actions': view([...COMMON, 'session', 'graph', 'pages/runs/data', 'pages/runs/parts']),
  'pages/runs/run': view([
    ...COMMON,
    'graph',
    'pages/runs/data',
    'pages/runs/parts',
    'pages/runs/messages',
    'pages/runs/graph',
    'pages/runs/actions',
  ]),
  'pages/runs': view([...COMMON, 'pages/runs/data', 'pages/runs/parts', 'pages/runs/run']),
  'pages/inbox': view([...COMMON, 'session', 'pages/runs/data', 'pages/runs/messages', 'pages/runs/graph']),
  'pages/graphs': view([...COMMON, 'session', 'editor', 'graph']),
  'pages/schedules': view(COMMON),
  'pages/webhooks': view(COMMON),
  'pages/tools': view(COMMON),
  'pages/admin': view(COMMON),
  pages: view([
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
  'show-app.tsx': { ...view(['session', 'api', 'layout', 'pages']), packages: [...VIEW_PACKAGES, 'react-dom'] },
  'main.ts': { rooms: ['styles', 'pages', 'show-app.tsx'] },
};
