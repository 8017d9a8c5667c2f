import { HoldfastError } from '../holdfast-error.ts';

/** Reads the data of an event. Its type is the route's. @throws HoldfastError for what is no JSON */
export function readEvent<T>(data: string): T;
export function readEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new HoldfastError({ code: 'UNEXPECTED_ANSWER', detail: 'An event of a stream is no JSON', cause });
  }
}
