import { describe, expect, test } from 'vitest';
import { MAX_PAGE_BYTES } from '../../../src/store/page.ts';
import type { Page, PageRequest } from '../../../src/store/page.ts';
import type { Store } from '../../../src/store/store.ts';
import { AT, aBatch, anApproval, anIntervention, aNewRun, aView, writeTo } from '../builders/store-builders.ts';

/* A page can hold two of these values, but none that is too large, which gets its own page. */
const third = 'x'.repeat(MAX_PAGE_BYTES / 3);
const tooLarge = 'x'.repeat(MAX_PAGE_BYTES + 1);
const VALUES = ['', third, third, third, tooLarge, ''];
const PAGES = [[1, 2, 3], [4], [5], [6]];

/** Requirements on every store for pages of large values: they end early and lose nothing. */
export function pagesSuite(store: () => Store): void {
  describe('a page has a size limit in bytes', () => {
    test('a size limit in bytes ends a page of the history', async () => {
      await store().runs.create(aNewRun({ id: 'B-events' }));
      const events = VALUES.map((output, at) => ({
        seq: at + 1,
        at: AT,
        step: 0,
        type: 'node.completed' as const,
        node: 'a',
        visit: 1,
        update: { output },
      }));
      for (const event of events) await writeTo(store(), { id: 'B-events' }, { ...aBatch([]), events: [event] });
      const pages = await readAll(async (page) => await store().journal.list('B-events', page));
      expect(pages.map((page) => page.map(({ seq }) => seq))).toEqual(PAGES);
      const first = await store().journal.events('B-events', 0, 100);
      expect(first.map(({ seq }) => seq)).toEqual(PAGES[0]);
    });

    test('a size limit in bytes ends a page of runs, whose input and output it counts', async () => {
      for (const [at, value] of VALUES.entries()) {
        const id = `B-run-${at + 1}`;
        await store().runs.create(aNewRun({ id, tenantId: 'large', createdAt: timeOf(at), input: { value } }));
      }
      const pages = await readAll(async (page) => await store().runs.list('large', {}, page));
      expect(pages.map((page) => page.map(({ id }) => Number(id.slice(6))))).toEqual(PAGES);
    });

    test('a size limit in bytes ends a page of the inbox', async () => {
      await store().runs.create(aNewRun({ id: 'B-ask', tenantId: 'large' }));
      for (const [at, details] of VALUES.entries()) {
        const asked = { ...anApproval('B-ask', 'pending'), id: `B-ask.a${at + 1}`, details, requestedAt: timeOf(at) };
        await writeTo(store(), { id: 'B-ask', tenantId: 'large' }, aBatch([at + 1], { approvals: [asked] }));
      }
      const pages = await readAll(async (page) => await store().approvals.list('large', {}, page));
      expect(pages.map((page) => page.map(({ id }) => Number(id.slice(7))))).toEqual(PAGES);
    });

    test('a size limit in bytes ends a page of pending interventions, with their runs', async () => {
      for (const [at, output] of VALUES.entries()) {
        const run = { id: `B-wait-${at + 1}`, tenantId: 'waiting' };
        await store().runs.create(aNewRun({ ...run, createdAt: timeOf(at) }));
        const view = aView({ waitingFor: [anIntervention('i')], pending: [{ node: 'b', update: { output } }] });
        await writeTo(store(), run, aBatch([1], { view }));
      }
      const pages = await readAll(async (page) => await store().interventions.list('waiting', page));
      expect(pages.map((page) => page.map(({ runId }) => Number(runId.slice(7))))).toEqual(PAGES);
    });
  });

  test('a page ends before a gap of the history, and is the last', async () => {
    await store().runs.create(aNewRun({ id: 'B-gap' }));
    await writeTo(store(), { id: 'B-gap' }, aBatch([1, 2, 3, 5]));
    const list = async (limit: number, after: number) => {
      const { items, next } = await store().journal.list('B-gap', { limit, after: { at: AT, id: String(after) } });
      return [items.map(({ seq }) => seq), next?.id ?? null];
    };
    expect(await list(2, 0)).toEqual([[1, 2], '2']);
    expect(await list(3, 0)).toEqual([[1, 2, 3], null]);
    expect(await list(9, 2)).toEqual([[3], null]);
    expect(await list(9, 3)).toEqual([[], null]);
    expect(await list(9, 4)).toEqual([[5], null]);
  });
}

/** The first of the values is the newest entry. */
const timeOf = (at: number): string => new Date(Date.parse(AT) - at).toISOString();

async function readAll<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<readonly (readonly T[])[]> {
  const pages: (readonly T[])[] = [];
  let after: PageRequest['after'];
  do {
    const page = await list({ limit: 100, after });
    pages.push(page.items);
    after = page.next ?? undefined;
    if (pages.length > VALUES.length) throw new Error('The pages have no end');
  } while (after);
  return pages;
}
