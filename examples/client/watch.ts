import { createClient } from 'holdfast/client';

/* The code of docs/streams.md. */

declare const run: { readonly id: string };
declare function show(text: string): void;
declare function write(text: string): void;
declare function notify(runId: string): void;

const holdfast = createClient({ baseUrl: 'https://holdfast.example', token: 'a token' });

for await (const event of holdfast.runs.follow(run.id)) show(event.type);
for await (const event of holdfast.runs.followTokens(run.id)) if (event.type === 'model.delta') write(event.text);
for await (const event of holdfast.events({ types: ['approval.requested'] })) notify(event.runId);
