import { createHash } from 'node:crypto';
import type { Payload } from '@temporalio/common';

/** The name of the storage driver that references to the store have. */
export const DRIVER = 'holdfast';

/** A payload as the store keeps it. Its metadata says how to read the data; values are in base64. */
export interface StoredPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

export interface NewPayload extends StoredPayload {
  readonly id: string;
  readonly workflowId: string;
}

/** Keeps payloads that are too large for a history. */
export interface PayloadStore {
  /** Stores payloads; an existing one stays as it is. */
  put(payloads: readonly NewPayload[]): Promise<void>;
  /** @returns the payloads in the order of their ids */
  get(ids: readonly string[]): Promise<readonly StoredPayload[]>;
  /** @returns those payloads that there are, by id */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, StoredPayload>>;
}

export function toStored({ metadata, data }: Payload): StoredPayload {
  return {
    metadata: eachValue(metadata ?? {}, (value) => Buffer.from(value).toString('base64')),
    data: data ?? new Uint8Array(),
  };
}

/** Names a payload by its content. */
export function digestOf({ metadata, data }: StoredPayload): string {
  return createHash('sha256').update(JSON.stringify(metadata)).update(data).digest('base64url');
}

export function fromStored({ metadata, data }: StoredPayload): Payload {
  return { metadata: eachValue(metadata, (value) => Buffer.from(value, 'base64')), data };
}

function eachValue<From, To>(
  metadata: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, convert(value)]));
}
