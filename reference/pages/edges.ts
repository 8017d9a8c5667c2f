import type { EdgeKind } from '../../src/graph/definition/definition.ts';
import { EDGE_DESCRIPTIONS } from '../../src/graph/schema/descriptions.ts';
import { partAt, titled } from '../definition-parts.ts';
import { fieldTable } from '../field-table.ts';
import { codeBlock, paragraphs } from '../markdown.ts';
import type { Page } from '../page.ts';

const EDGES = partAt('properties', 'edges', 'items');

const INTRODUCTION = `Edges lead from a node to the next ones. They are evaluated on the state after the superstep, each on its own: all plain edges of
a node fire, so their targets run in parallel. An edge to \`__end__\` ends that path only. The run ends when nothing is triggered.`;

/** What the descriptions leave out. */
const NOTES: Readonly<Record<EdgeKind, string>> = {
  plain: 'A target that several plain edges trigger in one superstep runs once.',
  branches:
    'When no condition is true and no branch is without `when`, the edge leads nowhere: warning `DEAD_END_BRANCH`.',
  route:
    'A value that is neither in `paths` nor caught by `default` fails the run with `INVALID_ROUTE`. An empty list leads nowhere.',
  forEach:
    'The edges of the target fire once, after the last element. Over an empty list, they fire at once. Writes are applied in the order of the elements, whichever nodes they go to. With `route`, an element may go to several nodes, or to `__end__`, which leaves it out; if no element goes to a node, the edges of all targets fire at once; `maxConcurrency` counts the elements of all targets together. A target has finished if one of its elements has, also where `onError.to` of others has led elsewhere.',
};

const JOINS = `A list in \`from\` is a join: the target runs when **all** of these nodes have finished since the join last fired. So it works in loops,
too. A node whose error has sent the run elsewhere has not finished. A join may wait for ever for a node that only a branch leads to: warning
\`JOIN_MAY_STARVE\`.`;

const LOOPS = `An edge may lead back. Leave a loop by \`branches\` or \`route\`; \`maxVisits\` of a node and \`limits.maxSteps\` bound it. A node with \`defer\` runs
only when no other node is left to run, so it can gather what is left.`;

export const edgesPage: Page = {
  name: 'edges',
  title: 'Edges',
  summary: 'The four kinds of edges, joins and loops.',
  render: ({ example }) =>
    paragraphs(
      INTRODUCTION,
      codeBlock('json', example('edges')),
      ...Object.entries(EDGE_DESCRIPTIONS).filter(isEdge).map(section),
      '## Joins',
      JOINS,
      '## Loops',
      LOOPS,
    ),
};

function isEdge(entry: [string, string]): entry is [EdgeKind, string] {
  return Object.hasOwn(NOTES, entry[0]);
}

function section([kind, description]: [EdgeKind, string]): string {
  return paragraphs(`## \`${kind}\``, description, fieldTable(titled(EDGES, `${kind} edge`)), NOTES[kind]);
}
