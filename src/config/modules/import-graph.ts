import { resolve, join } from 'node:path';
import { readdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { isJsonObject, messageOf, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { allowTypeScript, currentUrl } from './project-modules.ts';

/** A line and a column of a module, both from 1. */
interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** The graph of a module, or the reason why it has none, with the position in the module. */
export type GraphModule = { readonly definition: Json } | { readonly problem: string; readonly at: SourcePosition };

/** True for files that are imported rather than parsed; not for declarations and tests. */
export function isModule(file: string): boolean {
  return /(?<!\.d|\.test|\.spec)\.[cm]?[jt]s$/.test(file);
}

/** Imports a module that exports a graph: a `StateGraph` or a definition, as its default or its only one. */
export async function importGraph(file: string): Promise<GraphModule> {
  const path = resolve(file);
  try {
    const exported = await importModule(path);
    const graphs = isGraphExport(exported)
      ? [exported]
      : Object.values(isAnyObject(exported) ? exported : {}).filter(isGraphExport);
    const [graph, ...more] = graphs;
    if (graph === undefined) return { problem: 'It exports no graph: a StateGraph or a definition', at: START };
    if (more.length > 0) return { problem: 'It exports several graphs: make one the default export', at: START };
    return { definition: toJson(JSON.parse(JSON.stringify(graph))) };
  } catch (error) {
    return { problem: messageOf(error), at: positionOfError(error, path) };
  }
}

const START: SourcePosition = { line: 1, column: 1 };

function isAnyObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isGraphExport(value: unknown): boolean {
  if (!isAnyObject(value)) return false;
  if ('toJSON' in value && 'addNode' in value) return true;
  return 'name' in value && 'nodes' in value && isJsonObject(value.nodes);
}

/** Finds where a module threw, or where the compiler failed. */
function positionOfError(error: unknown, path: string): SourcePosition {
  const text = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : '';
  const after = text.split(path).find((part) => /^:\d+:\d+/.test(part));
  const [, line = 1, column = 1] = /^:(\d+):(\d+)/.exec(after ?? '') ?? [];
  return { line: Number(line), column: Number(column) };
}

/** Lists the files of a folder that may hold a graph, by name. @throws when there is no such folder */
export async function graphFiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith('.json') || isModule(file))
    .toSorted()
    .map((file) => join(folder, file));
}

/**
 * Imports a module of a project, in JavaScript or TypeScript.
 * @returns its default export, or all exports if it has none
 */
export async function importModule(path: string): Promise<unknown> {
  if (/\.[cm]?ts$/.test(path)) await allowTypeScript();
  const exported = defaultExportOf(await import(currentUrl(pathToFileURL(path).href)));
  // A module that was compiled to CommonJS has its exports in `default`.
  return isAnyObject(exported) && '__esModule' in exported ? defaultExportOf(exported) : exported;
}

function defaultExportOf(module: unknown): unknown {
  return isAnyObject(module) && 'default' in module ? module.default : module;
}
