import { defineConfig } from 'holdfast';

/** A store that keeps memory in this process and marks what is written about runs. */
export default defineConfig({
  async store(open) {
    const store = await open();
    const values = new Map<string, Parameters<typeof store.memory.put>[1]['value']>();
    return {
      ...store,
      runs: {
        ...store.runs,
        create: async (run, claimUntil) =>
          await store.runs.create({ ...run, metadata: { ...run.metadata, kept: 'elsewhere' } }, claimUntil),
      },
      journal: {
        ...store.journal,
        async write(batch, writer) {
          const events = batch.events.map((event) =>
            event.type === 'run.started' ? { ...event, by: `${event.by}, told elsewhere` } : event,
          );
          await store.journal.write({ ...batch, events }, writer);
        },
      },
      memory: {
        ...store.memory,
        async put(at, written) {
          values.set(at.key, written.value);
          return await store.memory.put(at, { ...written, value: 'elsewhere' });
        },
        async find(at) {
          const entry = await store.memory.find(at);
          return entry && { ...entry, value: values.get(at.key) ?? entry.value };
        },
      },
    };
  },
});
