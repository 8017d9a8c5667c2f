import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { ADMINISTRATION_TABLES } from './initial/administration.ts';
import { APPROVALS_TABLES } from './initial/approvals.ts';
import { CALLS_TABLES } from './initial/calls.ts';
import { FILES_TABLES } from './initial/files.ts';
import { GRAPHS_TABLES } from './initial/graphs.ts';
import { HOOKS_TABLES } from './initial/hooks.ts';
import { REQUESTS_TABLES } from './initial/requests.ts';
import { RUNS_TABLES } from './initial/runs.ts';
import { SCHEDULES_TABLES } from './initial/schedules.ts';
import { VALUES_TABLES } from './initial/values.ts';
import { WEBHOOKS_TABLES } from './initial/webhooks.ts';

/** The first tables, in the order in which they refer to each other. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  ...GRAPHS_TABLES,
  ...RUNS_TABLES,
  ...APPROVALS_TABLES,
  ...CALLS_TABLES,
  ...VALUES_TABLES,
  ...FILES_TABLES,
  ...REQUESTS_TABLES,
  ...WEBHOOKS_TABLES,
  ...SCHEDULES_TABLES,
  ...HOOKS_TABLES,
  ...ADMINISTRATION_TABLES,
];
