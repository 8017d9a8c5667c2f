import type { StateGraph } from '../../src/index.ts';
import type { Json, JsonObject } from '../../src/graph/values/index.ts';
import { deployment } from '../../examples/deployment/graph.ts';
import { documentIntake } from '../../examples/document-intake/graph.ts';
import { nightlyReport } from '../../examples/nightly-report/graph.ts';
import { operations } from '../../examples/operations/graphs/operations.ts';
import { restartService } from '../../examples/operations/graphs/restart-service.ts';
import { research } from '../../examples/research/graph.ts';
import { supportDesk } from '../../examples/support-desk/graph.ts';
import { trip } from '../../examples/trip/graph.ts';
import { askFor, say } from '../support/builders/chat-model.ts';
import type { Answer } from '../support/doubles/loopback-server.ts';

/** Builds the definition of a graph with any channels. */
type Compilable = Pick<StateGraph, 'compile' | 'toJSON'>;

/** A run of an example on a real stack, which is recorded. */
export interface Scenario {
  /** The graph whose run it is, and after it those that it names. */
  readonly graphs: readonly [Compilable, ...Compilable[]];
  readonly input: JsonObject;
  /** What the model answers, in order. */
  readonly answers: readonly Answer[];
  /** What people decide, in order. */
  readonly decisions: readonly ScenarioDecision[];
}

interface ScenarioDecision {
  readonly by: 'approver' | 'approver2';
  readonly verdict: 'approve' | 'reject';
  readonly body: JsonObject;
}

const sayJson = (value: Json): Answer => say(JSON.stringify(value));

const sells = (sentence: string, unusual: boolean): Answer => sayJson({ sentence, unusual });

/** By folder in `examples`. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  trip: { graphs: [trip], input: { city: 'Capri', nights: 3 }, answers: [], decisions: [] },
  deployment: {
    graphs: [deployment],
    input: { service: 'shop', version: '2.0.0', changes: 'A new basket.' },
    answers: [sayJson({ summary: 'A new basket, for a quarter of the traffic.', risk: 'high', percent: 25 })],
    decisions: [
      { by: 'approver', verdict: 'approve', body: { reason: 'begin with less', args: { percent: 5 } } },
      { by: 'approver2', verdict: 'approve', body: { reason: 'fine', args: { percent: 5 } } },
    ],
  },
  'nightly-report': {
    graphs: [nightlyReport],
    input: { day: '2026-11-01', regions: ['north', 'moon', 'west'] },
    answers: [sells('As usual.', false), sells('As usual.', false)],
    decisions: [],
  },
  'document-intake': {
    graphs: [documentIntake],
    input: {
      pages: {
        role: 'user',
        content: 'An invoice of Paper & Co, number 2026-118. The amount is blurred: 845 or 84.5 euros.',
      },
    },
    answers: [sayJson({ supplier: 'Paper & Co', number: '2026-118', euros: 845, sure: false })],
    decisions: [
      {
        by: 'approver',
        verdict: 'approve',
        body: { args: { supplier: 'Paper & Co', number: '2026-118', euros: 84.5, sure: true } },
      },
    ],
  },
  operations: {
    graphs: [operations, restartService],
    input: { messages: { role: 'user', content: 'The search is broken, please do something.' } },
    answers: [
      askFor([['read_metrics', { service: 'search' }]]),
      askFor([['restart-service', { service: 'search', why: '41 % of its requests fail' }]]),
      say('I have restarted search.'),
    ],
    decisions: [{ by: 'approver', verdict: 'approve', body: {} }],
  },
  research: {
    graphs: [research],
    input: { question: 'When may a request be sent again?' },
    answers: [
      askFor([['notes.list_directory', { path: '.' }]]),
      askFor([['notes.read_text_file', { path: 'idempotency.md' }]]),
      sayJson({ answer: 'If it has a key.', sources: ['idempotency.md'] }),
    ],
    decisions: [],
  },
  'support-desk': {
    graphs: [supportDesk],
    input: { customer: 'c-7', messages: { role: 'user', content: 'I want 300 euros back for A-1002.' } },
    answers: [
      askFor([['handoff_to_billing', { note: 'wants 300 euros back for A-1002' }]]),
      askFor([['lookup_order', { order: 'A-1002' }]]),
      askFor([['issue_refund', { order: 'A-1002', euros: 300 }]]),
      say('250 euros are on their way.'),
    ],
    decisions: [{ by: 'approver', verdict: 'approve', body: { args: { order: 'A-1002', euros: 250 } } }],
  },
};
