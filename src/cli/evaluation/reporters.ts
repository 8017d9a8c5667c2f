import { escapeInvisible } from '../../graph/values/index.ts';
import { describeComparison } from './compare.ts';
import type { Comparison } from './compare.ts';
import { describeMeasures, describeRate, formatUsd, hasNoFailures, medianOf, sumOf } from './measures.ts';
import type { EvaluationResult } from './measures.ts';

/** Formats the results of an evaluation as text, and their comparison with another version of the graph. */
export type Reporter = (results: readonly EvaluationResult[], comparison: Comparison | null) => string;

export const REPORTERS: Readonly<Record<string, Reporter>> = {
  table: formatAsTable,
  json: formatAsJson,
  junit: formatAsJunit,
  markdown: formatAsMarkdown,
};

function formatAsTable(results: readonly EvaluationResult[], comparison: Comparison | null): string {
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
  const compared = comparison ? describeComparison(comparison) : [];
  return `${escapeInvisible([...lines, ...summaryLines(results), ...compared].join('\n'))}\n`;
}

/** How many passed; after live runs also what all took. */
function summaryLines(results: readonly EvaluationResult[]): readonly string[] {
  const passed = `${results.filter(hasNoFailures).length} of ${results.length} passed`;
  const measured = results.flatMap(({ rate, measures }) => (rate && measures ? [measures] : []));
  if (measured.length === 0) return [passed];
  const all = {
    costUsd: sumOf(measured.map(({ costUsd }) => costUsd)),
    tokens: sumOf(measured.map(({ tokens }) => tokens)),
    latencyMs: medianOf(measured.map(({ latencyMs }) => latencyMs)),
  };
  const judging = measured.map((one) => one.judging);
  const [usd, tokens] = [sumOf(judging.map(({ costUsd }) => costUsd)), sumOf(judging.map((one) => one.tokens))];
  const judges = measured.some(({ scores }) => scores.length > 0)
    ? [`the judges took ${formatUsd(usd)} USD, ${tokens} tokens`]
    : [];
  return [passed, `the runs took ${describeMeasures(all)} (median)`, ...judges];
}

function formatAsJson(results: readonly EvaluationResult[], comparison: Comparison | null): string {
  const reported = results.map((result) => ({ ...result, passed: hasNoFailures(result) }));
  return `${JSON.stringify({ passed: results.every(hasNoFailures), results: reported, ...(comparison && { comparison }) }, null, 2)}\n`;
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

function formatAsMarkdown(results: readonly EvaluationResult[], comparison: Comparison | null): string {
  const rows = results.map((result) => {
    const { name, rate, measures, failures, notes } = result;
    const details = [...failures, ...notes].map(toMarkdownCell).join('<br>');
    const took = measures ? describeMeasures(measures) : '';
    const outcome = hasNoFailures(result) ? 'pass' : '**FAIL**';
    return `| ${[toMarkdownCell(name), outcome, rate ? describeRate(rate) : '', took, details].join(' | ')} |`;
  });
  const compared = comparison
    ? ['', ...describeComparison(comparison).map((line) => `- ${toMarkdownText(line.trim())}`)]
    : [];
  return `${[
    '| case | result | rate (95%, Wilson) | cost, tokens, latency | details |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...summaryLines(results).map((line) => `${line}  `.trimEnd()),
    ...compared,
  ].join('\n')}\n`;
}

function toMarkdownCell(text: string): string {
  return toMarkdownText(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Keeps what models have said from being read as HTML, links or emphasis. */
function toMarkdownText(text: string): string {
  return escapeInvisible(text)
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? character)
    .replaceAll(/[\\`*_[\]]/g, String.raw`\$&`);
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
