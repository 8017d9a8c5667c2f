import { sql } from 'kysely';

/** The clock of the database, because clocks of workers may differ. */
export const DATABASE_NOW = sql<string>`clock_timestamp()`;
