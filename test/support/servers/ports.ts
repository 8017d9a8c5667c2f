/**
 * Below the ports that clients connect from: one that is tried in vain for long enough may otherwise be connected to by
 * itself. Each process that tests has its own, so that no other process takes one while its owner is down.
 */
export const FIRST_PORT = 16_000 + (process.pid % 500) * 30;
