import { escapeInvisible } from '../../graph/values/index.ts';
import type { PassRate } from '../../testing/evaluation/index.ts';

/** The result of one recorded run, or of one line of a data set. */
export interface EvaluationResult {
  readonly file: string;
  /** The name of the case, or of the graph of a recorded run. */
  readonly name: string;
  /** One line for each deviation; an empty list means that the subject passed. */
  readonly failures: readonly string[];
  /** What a reader should know besides, such as a recorded decision that was not played. */
  readonly notes: readonly string[];
  readonly durationMs: number;
  /** The pass rate of several live trials; `null` for a single run. */
  readonly rate: PassRate | null;
}

export function hasNoFailures({ failures }: Pick<EvaluationResult, 'failures'>): boolean {
  return failures.length === 0;
}

/** Formats the results of an evaluation as text. */
type Reporter = (results: readonly EvaluationResult[]) => string;

export const REPORTERS: Readonly<Record<string, Reporter>> = {
  table: formatAsTable,
  json: formatAsJson,
  junit: formatAsJunit,
};

function formatAsTable(results: readonly EvaluationResult[]): string {
  const rows = results.map(({ rate, ...result }) => [
    result.file,
    result.name,
    hasNoFailures(result) ? 'pass' : 'FAIL',
    rate ? describeRate(rate) : '',
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = results.flatMap((result, at) => {
    const row = rows[at] ?? [];
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 4)).join('  ');
    return [line.trimEnd(), ...[...result.failures, ...result.notes].map((text) => `    ${text}`)];
  });
  const passed = results.filter(hasNoFailures).length;
  return `${escapeInvisible([...lines, `${passed} of ${results.length} passed`].join('\n'))}\n`;
}

/** Formats a pass rate, such as `4 of 5, 80% [38%, 96%]`. */
function describeRate({ passed, trials, low, high }: PassRate): string {
  const percent = (rate: number): string => `${Math.round(rate * 100)}%`;
  return `${passed} of ${trials}, ${percent(passed / trials)} [${percent(low)}, ${percent(high)}]`;
}

function formatAsJson(results: readonly EvaluationResult[]): string {
  const reported = results.map((result) => ({ ...result, passed: hasNoFailures(result) }));
  return `${JSON.stringify({ passed: results.every(hasNoFailures), results: reported }, null, 2)}\n`;
}

function formatAsJunit(results: readonly EvaluationResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const body = files.map((file) => {
    const cases = results.filter((result) => result.file === file);
    const failed = cases.filter((result) => !hasNoFailures(result)).length;
    const head = `<testsuite name="${escapeXml(file)}" tests="${cases.length}" failures="${failed}">`;
    return [head, ...cases.map(toTestCase), '</testsuite>'].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...body, '</testsuites>', ''].join('\n');
}

function toTestCase({ file, name, failures, durationMs }: EvaluationResult): string {
  const head = `<testcase classname="${escapeXml(file)}" name="${escapeXml(name)}" time="${(durationMs / 1_000).toFixed(3)}"`;
  if (failures.length === 0) return `${head}/>`;
  const [first = ''] = failures;
  return `${head}><failure message="${escapeXml(first)}">${escapeXml(failures.join('\n'))}</failure></testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** XML can't represent other control characters. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\t\n]/gu, '\uFFFD')
    .replaceAll(/[&<>"\n]/g, (character) => ENTITIES[character] ?? character);
}
