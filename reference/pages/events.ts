import { code, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { EVENTS } from '../texts/events.ts';

const INTRODUCTION = `\`GET /api/runs/{id}/history\` has every event of a run. They are numbered from 1 without gaps, and never change. Values of
redacted channels are hidden from callers who may not see payloads.`;

const COMMON = table(
  ['field', 'meaning'],
  [
    ['`seq`', 'the number, from 1'],
    ['`type`', 'one of the types below'],
    ['`at`', 'the time (RFC 3339)'],
    ['`step`', 'the superstep; -1 before the first one'],
    ['`path`', 'in a graph inside: the nodes around it, outermost first'],
    ['`node`, `visit`, `index`', 'of events of a node: its id, how often it has run, and the element of a `forEach`'],
  ],
);

interface AnyEvent {
  readonly group: string;
  readonly when: string;
  readonly fields: Readonly<Record<string, string>>;
}

const events: Readonly<Record<string, AnyEvent>> = EVENTS;

const GROUPS: Readonly<Record<AnyEvent['group'], string>> = {
  run: 'Events of the run',
  node: 'Events of nodes',
  call: 'Events of calls',
  person: 'Events of people',
  compensation: 'Events of compensations',
};

export const eventsPage: Page = {
  name: 'events',
  title: 'Events',
  summary: 'Every event of a history, with its fields.',
  render: () =>
    paragraphs(
      INTRODUCTION,
      COMMON,
      ...Object.entries(GROUPS).map(([group, title]) => paragraphs(`## ${title}`, tableOf(group))),
    ),
};

function tableOf(group: string): string {
  const rows = Object.entries(events)
    .filter(([, event]) => event.group === group)
    .map(([type, { when, fields }]) => [code(type), when, fieldsText(fields)]);
  return table(['event', 'when', 'fields'], rows);
}

function fieldsText(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, meaning]) => `${code(name)}: ${meaning}`)
    .join('; ');
}
