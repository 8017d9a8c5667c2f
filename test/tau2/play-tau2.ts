import type { CallerTokens } from '../../src/dev/issuer.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { Teardown } from '../../src/dev/teardown.ts';
import { createRandom, seedOf } from '../support/builders/random.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { createPatientFetch } from '../support/readers/patient-fetch.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { startProcesses } from '../support/servers/processes.ts';
import { openCases } from './cases.ts';
import type { Case, Cases, Turns } from './cases.ts';
import type { Task, Tau2 } from './data.ts';
import { playCase } from './desk.ts';
import type { Desk } from './desk.ts';
import { retailGraphs } from './graphs.ts';
import { judge } from './judge.ts';
import { openKills } from './kills.ts';
import type { Kills } from './kills.ts';
import { startOutside } from './outside.ts';
import type { Controls, Script } from './script.ts';
import { openBranch } from './shop/branch.ts';
import { VARIANTS } from './variants.ts';

/** If the shop honours idempotency keys, and what the configuration says of it. */
export type ShopKind = 'ignores keys' | 'honours keys' | 'is said to honour keys';
export const SHOP_KINDS: readonly ShopKind[] = ['ignores keys', 'honours keys', 'is said to honour keys'];

interface Shop {
  readonly honoursKeys: boolean;
  /** The `effect` of its writes in the configuration. */
  readonly effect: 'unsafe' | 'keyed';
}

/** The last shop is a control: its configuration is wrong, so writes are made twice, which must be detected. */
const SHOPS: Readonly<Record<ShopKind, Shop>> = {
  'ignores keys': { honoursKeys: false, effect: 'unsafe' },
  'honours keys': { honoursKeys: true, effect: 'keyed' },
  'is said to honour keys': { honoursKeys: false, effect: 'keyed' },
};

export interface Tau2Options {
  readonly data: Tau2;
  readonly tasks: readonly Task[];
  readonly shops: readonly ShopKind[];
  readonly turns: readonly Turns[];
  /** Names of variants. */
  readonly variants: readonly string[];
  readonly seed: number;
  /** The number of concurrent cases. */
  readonly atOnce: number;
  readonly onRow: (row: Row) => void;
  readonly onFinding: (finding: Finding) => void;
}

/** The result of all tasks in one variant. */
export interface Row {
  readonly variant: string;
  readonly shop: ShopKind;
  readonly turns: Turns;
  readonly cases: number;
  readonly failed: number;
  readonly kills: number;
  /** The number of writes that took effect. */
  readonly writes: number;
  readonly seconds: number;
}

/** A violated rule of a case. */
export interface Finding {
  readonly caseId: string;
  readonly runIds: readonly string[];
  readonly text: string;
}

/** A running stack, which all variants with one kind of shop share. */
interface Stack {
  readonly desk: Desk;
  readonly cases: Cases;
  readonly kills: Kills;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const GIVE_UP_AFTER_MS = 200_000;

/** Plays tasks in each of the variants, and judges every case. */
export async function playTau2(options: Tau2Options): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const shop of options.shops) rows.push(...(await playShop(options, shop)));
  return rows;
}

async function playShop(options: Tau2Options, shop: ShopKind): Promise<readonly Row[]> {
  const teardown = openTeardown();
  const leave = (): void => void teardown.run().finally(() => process.exit(130));
  for (const signal of SIGNALS) process.once(signal, leave);
  try {
    const stack = await startStack(options, shop, teardown);
    const rows: Row[] = [];
    for (const variant of options.variants)
      for (const turns of options.turns) {
        const row = await playVariant(stack, options, { variant, turns, shop });
        options.onRow(row);
        rows.push(row);
      }
    return rows;
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
    await teardown.run();
  }
}

async function startStack({ data, seed }: Tau2Options, shop: ShopKind, teardown: Teardown): Promise<Stack> {
  const cases = openCases();
  const outside = await startOutside(cases);
  teardown.add(() => outside.stop());
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const processes = await startProcesses(
    {
      databaseUrl: await postgres.createDatabase('holdfast'),
      config: new URL('retail.config.ts', import.meta.url),
      environment: {
        SHOP_URL: outside.shopUrl,
        MODEL_URL: outside.modelUrl,
        WRITE_EFFECT: SHOPS[shop].effect,
      },
      isLookedAfter: true,
      isAwaited: true,
    },
    teardown,
  );
  const random = createRandom(seedOf(seed, 'desk'));
  const patiently = createPatientFetch(processes.baseUrls, random, {
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    heard: () => undefined,
  });
  const as = (caller: keyof CallerTokens): ApiClient =>
    createApiClient('http://any', processes.tokens[caller], patiently);
  for (const graph of retailGraphs(data.policy)) {
    const { status, body } = await as('user').post('/api/graphs', graph);
    if (status >= 300) throw new Error(`${graph.name} was not published: ${JSON.stringify(body)}`);
  }
  return { cases, desk: { as, cases, random }, kills: openKills(processes) };
}

type Combination = Pick<Row, 'variant' | 'turns' | 'shop'>;

async function playVariant(stack: Stack, options: Tau2Options, combination: Combination): Promise<Row> {
  const variant = VARIANTS[combination.variant];
  if (!variant) throw new RangeError(`There is no variant ${combination.variant}`);
  const left = options.tasks.filter((task) => variant.suits(task));
  const cases = left.length;
  const startedAt = Date.now();
  const killsBefore = stack.kills.count;
  let [failed, writes] = [0, 0];
  const work = async (): Promise<void> => {
    for (let task = left.shift(); task; task = left.shift()) {
      const random = createRandom(seedOf(options.seed, combination.variant, combination.turns, task.id));
      const script = variant.write({ task, turns: combination.turns, records: options.data.records, random });
      const findings = await playOne(stack, { ...combination, task, script, options });
      failed += findings.length > 0 ? 1 : 0;
      writes += script.outcome.executed.length;
      for (const finding of findings) options.onFinding(finding);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  await stack.kills.settled();
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  return { ...combination, cases, failed, kills: stack.kills.count - killsBefore, writes, seconds };
}

interface Part extends Combination {
  readonly task: Task;
  readonly script: Script;
  readonly options: Tau2Options;
}

async function playOne({ desk, cases, kills }: Stack, part: Part): Promise<readonly Finding[]> {
  const { task, script, options } = part;
  const killsBefore = kills.count;
  const controls: Controls = {
    kills: () => kills.count - killsBefore,
    kill: async (victim) => await kills.strike(victim),
    async cancel(runId) {
      const { status, body } = await desk.as('user').post(`/api/runs/${runId}/cancel`, { reason: 'never mind' });
      if (status >= 300) throw new Error(`The run was not canceled: ${JSON.stringify(body)}`);
    },
  };
  const one: Case = {
    id: [task.id, part.variant, part.turns, part.shop].join('.').replaceAll(/[ ,]+/g, '-'),
    task,
    turns: part.turns,
    branch: openBranch(options.data.records, SHOPS[part.shop]),
    open: new Set(),
    meet: async (encounter) => await script.meet(encounter, one, controls),
    runIds: [],
    exchanges: 0,
    told: [],
  };
  cases.add(one);
  const toFinding = (text: string): Finding => ({ caseId: one.id, runIds: one.runIds, text });
  try {
    const statuses = await playCase(desk, one, script);
    return (await judge(desk.as('user'), { one, statuses, outcome: script.outcome })).map(toFinding);
  } catch (error) {
    return [toFinding(error instanceof Error ? error.message : String(error))];
  }
}
