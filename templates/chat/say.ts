import { readFile } from 'node:fs/promises';
import { createClient } from 'holdfast/client';
import { chat } from './graphs/chat.ts';

/* Sends a message in the conversation "trip": npx tsx say.ts "How is the weather in Rome?" */

const [, , content = 'Hello'] = process.argv;
const { baseUrl, user } = JSON.parse(await readFile('.holdfast/tokens.json', 'utf8'));
const agent = createClient({ baseUrl, token: user }).graph(chat);
const input = { messages: [{ role: 'user', content }] } as const;
const run = await agent.start(input, { threadId: 'trip', waitMs: 60_000 });
const answer = run.output?.messages?.at(-1)?.content;
process.stdout.write(`${typeof answer === 'string' ? answer : `The run is ${run.status}: ${run.id}`}\n`);
