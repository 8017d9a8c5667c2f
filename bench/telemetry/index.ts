import { parseArgs } from 'node:util';
import { openTeardown } from '../../src/dev/teardown.ts';
import { withSharedServers } from '../peers/shared-servers.ts';
import { openHoldfast, openServers } from '../peers/open-holdfast.ts';
import type { SharedServers } from '../peers/peer.ts';
import { print } from '../support/timed-run.ts';
import { toText, writeTelemetry } from './report.ts';
import type { Line, Pair } from './report.ts';
import { takeSample } from './sample.ts';
import type { Measured } from './sample.ts';
import { startSink } from './sink.ts';
import { OFF, VARIANTS } from './variants.ts';
import type { Variant } from './variants.ts';
import { sized } from '../support/size.ts';

/*
 * The cost of traces and metrics for tool steps: `npm run bench:telemetry`. Each variant is a separate Holdfast, run by
 * `npm start` with PostgreSQL and an in-memory Temporal server, next to an equally used one without telemetry. Each round
 * measures both in alternating order. Prints one JSON object per line, then the table; a run of all variants writes it to
 * docs/performance.md.
 *
 *   --rounds N    (11)
 *   --runs N      (10) of each sample
 *   --only A,B    only these variants: scraped, metrics, spans-of-a-tenth, spans
 *   --dist        Holdfast runs what `npm run build` has built
 */

/** The number of steps in a run. */
const STEPS = sized(20, 2);

/** The tools by the effect of their calls, and the suffixes of their peers' names. */
const TOOLS = [
  { terms: 'keyed', suffix: '' },
  { terms: 'idempotent', suffix: '-idempotent' },
] as const;

type Tool = (typeof TOOLS)[number];

const text = { type: 'string' } as const;
const { values: flags } = parseArgs({
  options: {
    rounds: { ...text, default: sized('11', '1') },
    runs: { ...text, default: sized('10', '1') },
    only: { ...text, ...sized({}, { default: 'scraped' }) },
    dist: { type: 'boolean', default: false },
  },
});
const [rounds, load] = [Number(flags.rounds), { runs: Number(flags.runs), steps: STEPS }];
const variants = VARIANTS.filter(({ name }) => flags.only?.split(',').includes(name) ?? true);

await withSharedServers(flags.dist, async (servers) => {
  const lines: Line[] = [];
  for (const variant of variants) lines.push(...(await measureVariant(variant, servers)));
  const reported = { rounds, ...load, lines };
  process.stdout.write(`\n${toText(reported)}\n`);
  if (flags.only === undefined) await writeTelemetry(reported);
});

/** Measures a variant with each tool, in alternation with an equally new Holdfast without telemetry. */
async function measureVariant(variant: Variant, servers: SharedServers): Promise<readonly Line[]> {
  const teardown = openTeardown();
  servers.teardown.add(() => teardown.run());
  const ofVariant = { ...servers, teardown };
  const [off, on] = [
    await openVariant({ ...OFF, name: `off-${variant.name}` }, ofVariant),
    await openVariant(variant, ofVariant),
  ];
  const cases = TOOLS.map((tool): Case => ({ variant, tool, off: off(tool), on: on(tool), pairs: [] }));
  // The first round warms up all cases.
  for (const one of cases) await takePair(0, one);
  for (let round = 1; round <= rounds; round++) for (const one of cases) one.pairs.push(await takePair(round, one));
  await teardown.run();
  return cases.map(({ tool: { terms }, pairs }) => ({ title: variant.title, terms, pairs }));
}

/** Returns the measured peer of a variant for a tool. */
type VariantAtWork = (tool: Tool) => Measured;

async function openVariant({ name, environment, isScraped }: Variant, shared: SharedServers): Promise<VariantAtWork> {
  const sink = await startSink();
  shared.teardown.add(() => sink.stop());
  const servers = await openServers(shared, `telemetry-${name}`);
  const { baseUrl, peers } = await openHoldfast(name, shared, {
    ...servers,
    environment: { ...servers.environment, ...environment(sink.url) },
  });
  let readBytes = 0;
  const read = async (): Promise<void> => {
    readBytes += (await (await fetch(`${baseUrl}/metrics`)).arrayBuffer()).byteLength;
  };
  return ({ suffix }) => {
    const peer = peers.find((one) => one.name === name + suffix);
    if (!peer) throw new TypeError(`${name} has no peer ${suffix}`);
    return { peer, sentBytes: () => sink.bytes + readBytes, read: isScraped ? read : null };
  };
}

/** A variant with a tool, and its samples. */
interface Case {
  readonly variant: Variant;
  readonly tool: Tool;
  readonly off: Measured;
  readonly on: Measured;
  readonly pairs: Pair[];
}

async function takePair(round: number, { variant, tool, off, on }: Case): Promise<Pair> {
  const isOffFirst = round % 2 === 0;
  const [first, second] = isOffFirst ? [off, on] : [on, off];
  const samples = [await takeSample(first, load), await takeSample(second, load)] as const;
  const pair = isOffFirst ? { off: samples[0], on: samples[1] } : { off: samples[1], on: samples[0] };
  print({ round, variant: variant.name, terms: tool.terms, ...pair });
  return pair;
}
