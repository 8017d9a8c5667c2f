import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import { CEILINGS, LIMITS } from '../../src/graph/definition/limits.ts';
import type { LimitDescription } from '../../src/graph/definition/limits.ts';
import { code, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { SECTIONS } from '../texts/configuration.ts';

const VALUES: Readonly<Record<LimitDescription['value'], string>> = {
  count: 'whole number from 1',
  countOrNone: 'whole number from 0',
  amount: 'number from 0',
  duration: 'duration',
};

const BEYOND: Readonly<Record<keyof typeof LIMITS, string>> = {
  maxSteps: '`GRAPH_RECURSION_LIMIT`',
  maxConcurrency: 'further calls wait',
  deadline: '`DEADLINE_EXCEEDED`',
  maxTokens: '`BUDGET_EXCEEDED`',
  maxCostUsd: '`BUDGET_EXCEEDED`',
  maxToolCalls: '`BUDGET_EXCEEDED`',
};

const limits: Readonly<Record<string, LimitDescription>> = LIMITS;
const beyond: Readonly<Record<string, string>> = BEYOND;
const ceilings: Readonly<Record<string, string | number>> = { ...CEILINGS };
const ceilingTexts: Readonly<Record<string, string>> = SECTIONS.ceilings;
const defaultTexts: Readonly<Record<string, string>> = SECTIONS.defaults;

export const limitsPage: Page = {
  name: 'limits',
  title: 'Limits and defaults',
  summary: 'Limits and budgets of a graph, defaults of an installation, its ceilings.',
  render: () =>
    paragraphs(
      '## `limits` of a graph',
      'A run may be started with `limits`, too; they may only tighten those of its graph. Budgets are checked before a call is made.',
      table(
        ['limit', 'type', 'description', 'beyond'],
        Object.entries(limits).map(([name, { value, description }]) => [
          code(name),
          VALUES[value],
          description,
          beyond[name] ?? '',
        ]),
      ),
      '## Defaults',
      'They hold where no graph, node, tool or model says otherwise. `defaults` in the [configuration](configuration.md) changes them.',
      table(
        ['default', 'value', 'description'],
        Object.entries(DEFAULTS).map(([name, value]) => [
          code(name),
          code(JSON.stringify(value)),
          defaultTexts[name] ?? '',
        ]),
      ),
      '## Ceilings',
      'A graph that asks for more is refused. `ceilings` in the [configuration](configuration.md) changes them.',
      table(
        ['ceiling', 'value', 'description'],
        Object.entries(ceilings).map(([name, value]) => [
          code(name),
          code(JSON.stringify(value)),
          ceilingTexts[name] ?? '',
        ]),
      ),
      'All other bounds, such as sizes of values and requests, are in [limits](../limits.md), each with the line of code that sets it.',
    ),
};
