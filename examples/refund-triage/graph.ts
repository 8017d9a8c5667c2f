import { END, START, StateGraph } from 'holdfast';
import { CHANNELS } from './channels.ts';
import { CONCERNS } from './policy.ts';
import { CHECK, CLASSIFY, DRAFT, REVISE, tagged } from './prompts.ts';
import { CLASSIFICATION, FOUND_ORDER, REFUND_ARGS, VERDICT, WRITTEN_REPLY } from './schemas.ts';

/** The same graph as graphs/refund-triage.json. */
export const refundTriage = new StateGraph({
  name: 'refund-triage',
  description:
    'Reads a support ticket, refunds what the policy allows, asks a person about the rest, and answers the customer. What is paid is decided here, never by the model.',
  channels: CHANNELS,
  input: ['ticket'],
  output: ['outcome', 'amountRefunded', 'answer', 'answeredBy', 'situation', 'orderNumbers', 'revisions'],
  limits: { maxSteps: 40 },
  defaults: { model: 'default', timeout: '60s' },
})
  .addNode('classify', {
    type: 'llm',
    description: 'Reads the ticket. It only describes: nothing is paid because of what it says alone.',
    system: CLASSIFY,
    prompt: tagged({ ticket: 'state.ticket' }),
    output: CLASSIFICATION,
    write: { classification: '{{ result.object }}' },
    onError: 'intervene',
  })
  .addNode('extract', {
    type: 'set',
    description: 'Takes the order numbers and the amount (to the cent) out of the classification.',
    write: {
      orderNumbers: '{{ state.classification.orderNumbers.map(number, number.trim().upperAscii()) }}',
      amountAsked:
        '{{ state.classification.amount != null && state.classification.amount >= 0.01 ? int((state.classification.amount) * 100 + 0.5) / 100.0 : null }}',
    },
  })
  .addNode('lookup', {
    type: 'tool',
    tool: 'lookup_order',
    args: { number: '{{ state.orderNumbers[0] }}' },
    retry: { maxAttempts: 4, initialInterval: '500ms', maxInterval: '10s' },
    write: { order: '{{ result.orders.filter(order, order.number == state.orderNumbers[0]).last() }}' },
    onError: { to: 'look-up-by-hand', write: { handOverReason: '{{ error.message }}' } },
  })
  .addNode('look-up-by-hand', {
    type: 'approval',
    description:
      "The fallback of the lookup: a person finds the order. Approving without an order says that there is none; rejecting, that it can't be found out now.",
    title: 'Look up order {{ state.orderNumbers[0] }} by hand (ticket {{ state.ticket.id }})',
    details: { why: '{{ state.handOverReason }}', ticket: '{{ state.ticket }}' },
    decisionSchema: FOUND_ORDER,
    policy: { roles: ['approver'] },
    timeout: '2d',
    onTimeout: 'reject',
    write: {
      order: "{{ result.decision == 'approved' ? result.values.order : null }}",
      lookupDecision: '{{ result.decision }}',
    },
    onError: 'intervene',
  })
  .addNode('measure', {
    type: 'set',
    description: 'What is left of the order, to the cent.',
    write: { amountLeft: '{{ int((state.order.total - state.order.refunded) * 100 + 0.5) / 100.0 }}' },
  })
  .addNode('propose', {
    type: 'set',
    description: 'What was asked for, but never more than what is left; all of it when no amount was named.',
    write: {
      amount:
        '{{ state.amountAsked == null || state.amountAsked > state.amountLeft ? state.amountLeft : state.amountAsked }}',
    },
  })
  .addNode('apply-policy', {
    type: 'set',
    description: 'The refund policy: each concern alone makes a person decide.',
    write: {
      concerns: CONCERNS,
    },
  })
  .addNode('approve-refund', {
    type: 'approval',
    description: 'A person decides. Edited arguments may lower the amount; anything else is asked again.',
    title:
      'Refund {{ state.amount }} {{ state.order.currency }} for order {{ state.orderNumbers[0] }} (ticket {{ state.ticket.id }})?',
    details: {
      note: "{{ run.visit > 1 ? 'Asked again: an approval may lower the amount, not raise it, and is for this order only.' : null }}",
      concerns: '{{ state.concerns }}',
      summary: '{{ state.classification.summary }}',
      amountAsked: '{{ state.amountAsked }}',
      amountLeft: '{{ state.amountLeft }}',
      order: '{{ state.order }}',
      ticket: '{{ state.ticket }}',
    },
    args: { order: '{{ state.orderNumbers[0] }}', amount: '{{ state.amount }}' },
    argsSchema: REFUND_ARGS,
    policy: { roles: ['approver'], requireReason: true, escalate: [{ after: '2d', roles: ['admin'] }] },
    timeout: '7d',
    onTimeout: 'fail',
    maxVisits: 5,
    write: { decision: '{{ result }}' },
    onError: 'intervene',
  })
  .addNode('refund', {
    type: 'tool',
    description:
      'Pays. Its idempotency key makes sure that it does so once, whatever breaks; when it fails for good, a person takes over.',
    tool: 'issue_refund',
    args: {
      order: '{{ state.orderNumbers[0] }}',
      amount: '{{ state.decision == null ? state.amount : state.decision.args.amount }}',
      reason: 'Ticket {{ state.ticket.id }}',
    },
    retry: { maxAttempts: 8, initialInterval: '500ms', maxInterval: '30s' },
    write: { amountRefunded: '{{ result.amount }}' },
    onError: 'intervene',
  })
  .addNode('note-refund', {
    type: 'set',
    write: { situation: "{{ state.amountRefunded < state.amountLeft ? 'partly-refunded' : 'refunded' }}" },
  })
  .addNode('note-rejection', { type: 'set', write: { situation: 'rejected' } })
  .addNode('note-nothing-left', { type: 'set', write: { situation: 'already-refunded' } })
  .addNode('note-question', { type: 'set', write: { situation: 'question' } })
  .addNode('note-delay', { type: 'set', write: { situation: 'delayed' } })
  .addNode('ask-back', {
    type: 'set',
    write: {
      situation:
        "{{ size(state.orderNumbers) == 0 ? 'no-order-number' : size(state.orderNumbers) > 1 ? 'several-orders' : 'unknown-order' }}",
    },
  })
  .addNode('gather-facts', {
    type: 'set',
    description: 'Puts together what a reply may say; the model is told nothing else as true.',
    write: {
      facts: {
        situation: '{{ state.situation }}',
        language: '{{ state.classification.language }}',
        reference: 'Reference: {{ state.ticket.id }}',
        orderNumbers: '{{ state.orderNumbers }}',
        order: "{{ state.order == null ? null : {'number': state.orderNumbers[0], 'item': state.order.item} }}",
        amountRefunded: '{{ state.amountRefunded }}',
        currency: '{{ state.order == null ? null : state.order.currency }}',
        rejectionReason: "{{ state.situation == 'rejected' ? state.decision.reason : null }}",
        shop: {
          returns: 'Articles can be sent back within 30 days of delivery, unused.',
          shipping: 'Parcels arrive within 3 to 5 working days.',
          hours: 'Customer Service is there from Monday to Friday, 9:00 to 17:00 UTC.',
        },
      },
    },
  })
  .addNode('draft', {
    type: 'llm',
    system: DRAFT,
    prompt: tagged({ facts: 'state.facts', ticket: 'state.ticket' }),
    write: { draft: '{{ result.text.trim() }}' },
    onError: {
      to: 'write-by-hand',
      write: { handOverReason: 'The model could not write a reply: {{ error.message }}' },
    },
  })
  .addNode('check', {
    type: 'llm',
    description: 'The compliance check: it sees the facts and the draft, not the ticket.',
    system: CHECK,
    prompt: tagged({ facts: 'state.facts', draft: 'state.draft' }),
    output: VERDICT,
    write: { verdict: '{{ result.object }}' },
    onError: { to: 'write-by-hand', write: { handOverReason: 'The reply could not be checked: {{ error.message }}' } },
  })
  .addNode('revise', {
    type: 'llm',
    system: REVISE,
    prompt: tagged({
      facts: 'state.facts',
      ticket: 'state.ticket',
      draft: 'state.draft',
      reason: 'state.verdict.reason',
    }),
    maxVisits: 3,
    write: { draft: '{{ result.text.trim() }}', revisions: 1 },
    onError: {
      to: 'write-by-hand',
      write: {
        handOverReason:
          "{{ error.code == 'MAX_VISITS_EXCEEDED' ? 'The reply still fails the compliance check after three revisions: ' + state.verdict.reason : 'The model could not revise the reply: ' + error.message }}",
      },
    },
  })
  .addNode('write-by-hand', {
    type: 'approval',
    description:
      'A person writes the reply. Who rejects has written none: the run then waits until somebody sees to it.',
    title: 'Write the reply to ticket {{ state.ticket.id }} by hand',
    details: {
      why: '{{ state.handOverReason }}',
      facts: '{{ state.facts }}',
      ticket: '{{ state.ticket }}',
      draft: '{{ state.draft }}',
    },
    decisionSchema: WRITTEN_REPLY,
    policy: { roles: ['approver'] },
    onTimeout: 'fail',
    onReject: 'fail',
    write: { draft: '{{ result.values.message }}', answeredBy: 'person' },
    onError: 'intervene',
  })
  .addNode('record', {
    type: 'set',
    description: 'What became of the ticket.',
    write: {
      outcome:
        "{{ {'question': 'answered', 'no-order-number': 'asked-back', 'several-orders': 'asked-back', 'unknown-order': 'asked-back', 'delayed': 'handed-over'}[?state.situation].orValue(state.situation) }}",
      answer: '{{ state.draft }}',
    },
  })
  .addSequence([START, 'classify', 'extract'])
  .addBranches('extract', [
    { when: "state.classification.intent != 'refund'", to: 'note-question' },
    { when: 'size(state.orderNumbers) == 1', to: 'lookup' },
    { to: 'ask-back' },
  ])
  .addBranches('lookup', [{ when: 'state.order == null', to: 'ask-back' }, { to: 'measure' }])
  .addBranches('look-up-by-hand', [
    { when: "state.lookupDecision != 'approved'", to: 'note-delay' },
    { when: 'state.order == null', to: 'ask-back' },
    { to: 'measure' },
  ])
  .addBranches('measure', [{ when: 'state.amountLeft <= 0', to: 'note-nothing-left' }, { to: 'propose' }])
  .addEdge('propose', 'apply-policy')
  .addBranches('apply-policy', [{ when: 'size(state.concerns) > 0', to: 'approve-refund' }, { to: 'refund' }])
  .addBranches('approve-refund', [
    { when: "state.decision.decision != 'approved'", to: 'note-rejection' },
    {
      when: 'state.decision.args.order == state.orderNumbers[0] && state.decision.args.amount <= state.amount',
      to: 'refund',
    },
    { to: 'approve-refund' },
  ])
  .addSequence(['refund', 'note-refund', 'gather-facts'])
  .addEdge('note-rejection', 'gather-facts')
  .addEdge('note-nothing-left', 'gather-facts')
  .addEdge('note-question', 'gather-facts')
  .addEdge('note-delay', 'gather-facts')
  .addEdge('ask-back', 'gather-facts')
  .addSequence(['gather-facts', 'draft', 'check'])
  .addBranches('check', [{ when: "state.verdict.verdict == 'pass'", to: 'record' }, { to: 'revise' }])
  .addEdge('revise', 'check')
  .addSequence(['write-by-hand', 'record', END]);
