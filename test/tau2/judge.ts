import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../../src/graph/values/compare-json.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { eventsOf, readAll } from '../support/readers/api-runs.ts';
import { at, listAt } from '../support/readers/json-at.ts';
import type { Case } from './cases.ts';
import type { Outcome, Told } from './script.ts';
import { UNDO, isWrite } from './tools.ts';

/** What is known of a case at its end. */
export interface Facts {
  readonly one: Case;
  /** The ends of each of its runs. */
  readonly statuses: readonly (readonly string[])[];
  readonly outcome: Outcome;
  /** Of each of its runs. */
  readonly approvals: readonly (readonly Json[])[];
  readonly events: readonly (readonly Json[])[];
}

/** Reads approvals and events of a case, and returns its violations. */
export async function judge(client: ApiClient, known: Omit<Facts, 'approvals' | 'events'>): Promise<readonly string[]> {
  const { runIds } = known.one;
  const approvals: Json[][] = [];
  const events: Json[][] = [];
  for (const id of runIds) {
    approvals.push(await readAll(client, `/api/approvals?runId=${id}`));
    events.push(await eventsOf(client, id));
  }
  return violationsOf({ ...known, approvals, events });
}

/** Returns the violations of a case, each as a sentence that begins with the rule. */
export function violationsOf(facts: Facts): readonly string[] {
  return Object.entries(RULES).flatMap(([rule, { actual, expected }]) => {
    const [found, wanted] = [actual(facts), expected(facts)];
    return isDeepStrictEqual(found, wanted) ? [] : [`${rule}: ${shorten(found)} instead of ${shorten(wanted)}`];
  });
}

/** Two values that have to be equal. */
interface Rule {
  readonly actual: (facts: Facts) => unknown;
  readonly expected: (facts: Facts) => unknown;
}

/** Invariants of every case, whatever was killed. */
export const RULES: Readonly<Record<string, Rule>> = {
  'each run ends as expected': {
    actual: ({ statuses }) => statuses,
    expected: ({ outcome }) => outcome.runs.map(({ statuses }) => statuses),
  },
  'the shop has the expected records': {
    actual: ({ one }) => one.branch.differences(),
    expected: ({ outcome }) => outcome.changed,
  },
  'each write takes effect once, in order': {
    actual: (facts) => executed(facts).map(({ name, args }) => ({ name, args })),
    expected: ({ outcome }) => outcome.executed,
  },
  'each write of a canceled run is undone once, the latest first': {
    actual: ({ one }) => one.branch.log.filter(({ name }) => name === UNDO).map(({ args }) => args['receipt']),
    expected: (facts) =>
      executed(facts)
        .slice(0, facts.outcome.undone)
        .map((entry) => facts.one.branch.log.indexOf(entry))
        .toReversed(),
  },
  'each decided write has one decision': {
    actual: ({ approvals }) => approvals.map((all) => all.map(decisionsOf).filter((count) => count > 0)),
    expected: ({ outcome }) => outcome.runs.map(({ decided }) => decided.map(() => 1)),
  },
  'each decision is about an expected write': {
    actual: ({ approvals }) =>
      approvals.map((all) => sorted(all.filter((one) => decisionsOf(one) > 0).map((one) => writeOf(one)))),
    expected: ({ outcome }) => outcome.runs.map(({ decided }) => sorted(decided.map((write) => toJson(write)))),
  },
  'each decision is one event': {
    actual: ({ events }) => events.map((all) => all.filter((one) => at(one, '/type') === 'approval.decided').length),
    expected: ({ outcome }) => outcome.runs.map(({ decided }) => decided.length),
  },
  'the model is told of each call': {
    actual: ({ one, outcome }) => (outcome.told.length === 0 ? [] : one.told.map(toldOf)),
    expected: ({ outcome }) => outcome.told,
  },
  'events are numbered without gaps': {
    actual: ({ events }) => events.map((all) => all.map((event) => at(event, '/seq'))),
    expected: ({ events }) => events.map((all) => all.map((_, index) => index + 1)),
  },
};

function executed({ one }: Facts): Case['branch']['log'] {
  return one.branch.log.filter(({ name, answer }) => isWrite(name) && answer.isAccepted);
}

function decisionsOf(approval: Json): number {
  return listAt(approval, '/decisions').length;
}

function writeOf(approval: Json): Json {
  return { name: at(approval, '/tool') ?? null, args: at(approval, '/args') ?? null };
}

function sorted(values: readonly Json[]): readonly string[] {
  return values.map(canonicalJson).toSorted();
}

function toldOf(content: string): Told {
  if (content.startsWith('The call was not approved')) return 'rejected';
  return content.startsWith('Execution failed') ? 'refused' : 'accepted';
}

const MAX_SHOWN = 1_500;

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)} and more`;
}
