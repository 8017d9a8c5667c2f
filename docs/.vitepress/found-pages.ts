import { readdirSync, readFileSync } from 'node:fs';
import type { PageEntry } from './sections.ts';

const DOCS = new URL('../', import.meta.url);

/** The pages of the reference, as its list has them. */
export function referencePages(): readonly PageEntry[] {
  const list = readFileSync(new URL('reference/index.md', DOCS), 'utf8');
  const lines = list.matchAll(/^- \[(?<title>.+)\]\((?<file>.+)\): (?<about>.+)$/gm);
  return [...lines].map(({ groups: { title = '', file = '', about = '' } = {} }) => ({
    file: `reference/${file}`,
    title,
    about,
  }));
}

/** The records of decisions, in their order. */
export function decisionPages(): readonly PageEntry[] {
  return readdirSync(new URL('decisions/', DOCS))
    .toSorted()
    .map((name) => {
      const [, title = name] = /^# (.+)$/m.exec(readFileSync(new URL(`decisions/${name}`, DOCS), 'utf8')) ?? [];
      return { file: `decisions/${name}`, title, about: 'a choice that is hard to reverse' };
    });
}
