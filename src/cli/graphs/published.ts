import type { GraphAlias, GraphSummary } from '../../client/index.ts';
import { API_EXITS, accessFlags, openClient } from '../input/api-access.ts';
import { ALL, LIST_FLAGS, readList, readListFlags } from '../input/list-flags.ts';
import { printList, formatTable } from '../output/lists.ts';
import {
  EXIT,
  UsageError,
  defineCommand,
  oneOperand,
  optionalOperand,
  switchFlag,
  textFlag,
  twoOperands,
} from '../line/command.ts';

/** Published graphs, their versions and aliases. */

export const graphsCommand = defineCommand({
  name: 'graphs',
  summary: 'list published graphs, or the versions of one',
  operands: optionalOperand('NAME', 'the name of one graph at most'),
  about: `Lists the published graphs with the version that their name means, which is the one published last; with NAME all
    versions of that graph, the newest first.`,
  flags: { ...LIST_FLAGS, ...accessFlags(), json: switchFlag('prints them as JSON') },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values, given: name }, terminal) {
    const part = readListFlags(values);
    const { graphs } = await openClient(values, terminal);
    const found = await readList(part, (limit) =>
      name === undefined ? graphs.list({ limit }) : graphs.versions(name, { limit }),
    );
    printList(found, { json: values.json, format: toVersionTable, none: 'No graph is published.' }, terminal);
    return EXIT.done;
  },
});

function toVersionTable(found: readonly GraphSummary[]): string {
  const rows = found.map((graph) => [
    graph.name,
    String(graph.version),
    graph.createdAt,
    graph.createdBy,
    toState(graph),
  ]);
  return formatTable(['GRAPH', 'VERSION', 'CREATED', 'BY', 'STATE'], rows);
}

function toState({ current, unpublished }: GraphSummary): string {
  if (unpublished) return `unpublished ${unpublished.at} by ${unpublished.by}`;
  return current ? 'current: the name means it' : '';
}

export const unpublishCommand = defineCommand({
  name: 'unpublish',
  summary: 'take a version of a graph back',
  operands: twoOperands('NAME VERSION', 'the name of a graph and a version'),
  about: `Takes a version back: no new run can use it, and runs that have begun with it continue. If the name meant this
    version, it means the version that was published before it. Publishing the same content again restores it.`,
  flags: { ...accessFlags(), json: switchFlag('prints the version, and the one that the name means now, as JSON') },
  exits: { 0: 'unpublished', ...API_EXITS },
  async action({ values, given: [name, version] }, terminal) {
    const client = await openClient(values, terminal);
    const number = readVersion('unpublish', version);
    await client.graphs.unpublish(name, number);
    const { items } = await readList(ALL, (limit) => client.graphs.versions(name, { limit }));
    const current = items.find((graph) => graph.current)?.version ?? null;
    const meaning = current === null ? 'no version is left that new runs can use' : `its name means version ${current}`;
    terminal.stdout.write(
      values.json
        ? `${JSON.stringify({ name, unpublished: number, current }, null, 2)}\n`
        : `${name}, version ${number} is unpublished; ${meaning}\n`,
    );
    return EXIT.done;
  },
});

/** @throws UsageError */
function readVersion(of: string, given: string): number {
  const version = Number(given);
  if (Number.isInteger(version) && version >= 1) return version;
  throw new UsageError(`${of} takes the number of a version, not "${given}"`);
}

export const aliasesCommand = defineCommand({
  name: 'aliases',
  summary: "list, set and remove a graph's aliases",
  operands: oneOperand('NAME', 'the name of one graph'),
  about: `Lists the aliases of a graph: runs of NAME@ALIAS use the version of the alias, whatever the name itself means. With
    --set or --remove one alias is changed first.`,
  flags: {
    set: textFlag('ALIAS=VERSION', 'sets an alias to a version'),
    canary: textFlag('VERSION=SHARE', 'with --set: a second version, and the share of runs that use it, such as 4=0.1'),
    remove: textFlag('ALIAS', 'removes an alias'),
    ...LIST_FLAGS,
    ...accessFlags(),
    json: switchFlag('prints the aliases as JSON'),
  },
  exits: { 0: 'listed', ...API_EXITS },
  async action({ values, given: name }, terminal) {
    const { set, canary, remove } = values;
    if (canary !== undefined && set === undefined) throw new UsageError('--canary needs --set');
    const alias = set === undefined ? undefined : readAlias(set, canary);
    const part = readListFlags(values);
    const client = await openClient(values, terminal);
    if (alias) await client.graphs.setAlias(name, alias);
    if (remove !== undefined) await client.graphs.removeAlias(name, remove);
    const found = await readList(part, (limit) => client.graphs.aliases(name, { limit }));
    printList(found, { json: values.json, format: toAliasTable, none: `The graph ${name} has no alias.` }, terminal);
    return EXIT.done;
  },
});

/** @throws UsageError */
function readAlias(set: string, canary: string | undefined) {
  const [alias, version] = readPair('--set', set, 'ALIAS=VERSION');
  const named = { alias, version: readVersion('--set', version) };
  if (canary === undefined) return named;
  const [second, share] = readPair('--canary', canary, 'VERSION=SHARE');
  const part = Number(share);
  if (!(part >= 0 && part <= 1)) throw new UsageError(`--canary takes a share from 0 to 1, not "${share}"`);
  return { ...named, canary: { version: readVersion('--canary', second), share: part } };
}

/** @throws UsageError */
function readPair(flag: string, given: string, form: string): readonly [before: string, after: string] {
  const [before, after, ...more] = given.split('=');
  if (before && after && more.length === 0) return [before, after];
  throw new UsageError(`${flag} takes ${form}, not "${given}"`);
}

function toAliasTable(found: readonly GraphAlias[]): string {
  const rows = found.map(({ name, alias, version, canary, updatedAt, by }) => [
    `${name}@${alias}`,
    String(version),
    canary ? `${canary.share} of the runs use version ${canary.version}` : '',
    updatedAt,
    by,
  ]);
  return formatTable(['ALIAS', 'VERSION', 'CANARY', 'SET', 'BY'], rows);
}
