import { referencePages } from '../docs/.vitepress/found-pages.ts';
import { SECTIONS } from '../docs/.vitepress/sections.ts';
import type { Section } from '../docs/.vitepress/sections.ts';
import { paragraphs } from './markdown.ts';

const INTRODUCTION = `> Durable agent graphs on Temporal: a graph is JSON (model calls, tools, agents, approvals, waits, subgraphs), one deterministic workflow
> interprets it, people decide by an HTTP API, and every call has a key and a row in a ledger.`;

const FIRST = `Links are relative to this file. Begin with the definition and the nodes; expressions are CEL. \`npx holdfast validate FILE\` checks a graph,
\`runGraph\` of \`holdfast/testing\` plays one in memory.`;

/** Returns the content of `docs/llms.txt`, the list of pages for programs that read (llmstxt.org). */
export function renderLlms(): string {
  const [begin, ...others] = SECTIONS;
  const sections = [begin, { title: 'Reference', pages: referencePages() }, ...others].flatMap((one) => one ?? []);
  return `${paragraphs('# Holdfast', INTRODUCTION, FIRST, ...sections.map(list))}\n`;
}

function list({ title, pages }: Section): string {
  return paragraphs(`## ${title}`, pages.map((page) => `- [${page.title}](${page.file}): ${page.about}`).join('\n'));
}
