/** Each expression returns the reason why a person must decide about the refund, or null. */
export const CONCERNS = [
  "{{ state.order.currency != 'USD' ? 'The order was not paid in US dollars' : null }}",
  "{{ state.amount > state.automaticLimit ? 'The amount is above the limit for automatic refunds' : null }}",
  "{{ state.amountAsked != null && state.amountAsked != state.amountLeft ? 'The customer asks for another amount than what is left of the order' : null }}",
  "{{ state.classification.currency != null && state.classification.currency != state.order.currency ? 'The customer names another currency than that of the order' : null }}",
  "{{ state.order.refunded > 0 ? 'Part of the order was refunded before' : null }}",
  "{{ state.order.customer.trim().lowerAscii() != state.ticket.from.trim().lowerAscii() ? 'The ticket comes from another address than the order' : null }}",
];
