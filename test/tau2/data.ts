import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { JsonObject } from '../../src/graph/values/json.ts';
import { ChangedSchema, RecordsSchema } from './shop/records.ts';
import type { Records } from './shop/records.ts';
import { UNCHANGED } from './shop/stock.ts';
import type { Changes } from './shop/stock.ts';

/* The retail tasks of τ²-bench (https://github.com/sierra-research/tau2-bench, MIT), read from a folder. */

const ArgsSchema = z.record(z.string(), z.json());

const TaskSchema = z.object({
  id: z.string(),
  reason: z.string(),
  known: z.string(),
  actions: z.array(z.object({ name: z.string(), args: ArgsSchema })),
});

const ExpectedSchema = z.object({ id: z.string(), calls: z.array(z.boolean()), changed: ChangedSchema });

/** A call of a tool of the shop. */
export interface Action {
  readonly name: string;
  readonly args: JsonObject;
}

/** A request of a customer, and the calls that a perfect agent makes for it, in order. */
export interface Task extends Omit<z.output<typeof TaskSchema>, 'actions'> {
  readonly actions: readonly Action[];
  /** For each call if the shop accepts it. */
  readonly accepted: readonly boolean[];
  /** The records that differ after all calls. */
  readonly changed: Changes;
}

export interface Tau2 {
  readonly records: Records;
  /** The instructions of the agent. */
  readonly policy: string;
  readonly tasks: readonly Task[];
}

/** @throws if a file is missing or does not have its format */
export async function readTau2(folder: string): Promise<Tau2> {
  const readText = async (name: string): Promise<string> => await readFile(join(folder, name), 'utf8');
  const read = async <T>(name: string, schema: z.ZodType<T>): Promise<T> =>
    schema.parse(JSON.parse(await readText(name)));
  const expected = await read('expected.json', z.array(ExpectedSchema));
  const expectedOf = new Map(expected.map((one) => [one.id, one]));
  const tasks = await read('tasks.json', z.array(TaskSchema));
  return {
    records: await read('db.json', RecordsSchema),
    policy: await readText('policy.md'),
    tasks: tasks.map((task) => {
      const { calls = [], changed = UNCHANGED } = expectedOf.get(task.id) ?? {};
      return { ...task, accepted: calls, changed };
    }),
  };
}
