import type { ColumnType } from 'kysely';
import type { Json } from '../../graph/values/index.ts';

/** A column of JSON that only we write, so its type is known. */
export type Payload<T = Json> = ColumnType<T, string, string>;
export type OptionalPayload<T = Json> = ColumnType<T | null, string | null | undefined, string | null>;
export type Time = ColumnType<Date, string, string>;
export type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>;
export type OptionalText = Optional<string>;
export type OptionalTime = ColumnType<Date | null, string | null | undefined, string | null>;
