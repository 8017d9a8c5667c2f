import { expect, test } from 'vitest';
import { measuredJournal } from '../../../src/workers/measured-journal.ts';
import { aNewRun, endRun } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

test.each(['01M87CEGE04E2NGG4BDBF010M2', 'bench-0'])(
  'the end of a run is written, whatever its id tells: %s',
  async (id) => {
    await store.runs.create(aNewRun({ id }));
    await endRun({ ...store, journal: measuredJournal(store.journal) }, { id });
    expect((await store.journal.events(id, 0, 10)).map(({ seq }) => seq)).toEqual([1]);
  },
);
