import { createClient, HoldfastError } from 'holdfast/client';
import { refund } from '../testing/refund-graph.ts';

/* The code of docs/client.md. */

declare function readToken(): Promise<string>;
declare function show(...what: readonly unknown[]): void;

const client = createClient({ baseUrl: 'https://holdfast.example', token: async () => await readToken() });

const refunds = client.graph(refund);
await refunds.publish();
const run = await refunds.start({ order: 'A-1', euros: 300 }, { threadId: 'ann', waitMs: 60_000 });
const receipt = run.output?.receipt;
show(receipt);

const started = await client.runs.start({ graph: 'small-refund', input: { order: 'A-2', euros: 20 } });
for await (const event of client.runs.follow(started.id)) show(event.seq, event.type);
const ended = await client.runs.wait(started.id, { until: 'ended', timeoutMs: 600_000 });
show(ended.output);

for await (const approval of client.approvals.list({ status: 'pending' }))
  await client.approvals.decide(approval, { decision: 'approve', reason: 'checked', args: { euros: 100 } });

try {
  await client.runs.resume(started.id);
} catch (error) {
  if (error instanceof HoldfastError && error.code === 'NOT_ALLOWED_NOW') show(error.status, error.detail);
  else throw error;
}
