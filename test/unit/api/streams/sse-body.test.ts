import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSseBody } from '../../../../src/api/streams/sse-body.ts';

const TIMES = { heartbeatMs: 15_000, stallMs: 30_000 };
const LARGE = 'x'.repeat(200_000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string> => await new Response(stream).text();

describe('the body of a stream', () => {
  test('the body of an event stream contains everything that is written, and ends after it', async () => {
    const body = openSseBody(TIMES);
    const text = textOf(body.stream);
    expect(await body.write('a\n\n')).toBe(true);
    expect(await body.write(LARGE)).toBe(true);
    body.end();
    expect(await text).toBe(`a\n\n${LARGE}`);
    expect(body.over.aborted).toBe(true);
    expect(await body.write('b')).toBe(false);
  });

  test('the body of an event stream sends a heartbeat every 15 seconds, whatever else is written', async () => {
    const body = openSseBody({ ...TIMES, withHeartbeat: () => 'id: 7\n\n' });
    const text = textOf(body.stream);
    await vi.advanceTimersByTimeAsync(30_000);
    await body.write('a\n\n');
    await vi.advanceTimersByTimeAsync(15_000);
    body.end();
    const beat = ': hb\n\nid: 7\n\n';
    expect(await text).toBe(`${beat}${beat}a\n\n${beat}`);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the body of an event stream is aborted when its reader reads nothing for too long', async () => {
    const body = openSseBody(TIMES);
    const writing = body.write(LARGE);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(body.over.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await writing).toBe(false);
    await expect(textOf(body.stream)).rejects.toThrow('can be resumed');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the body of an event stream is aborted when its reader ignores even little queued data', async () => {
    const body = openSseBody(TIMES);
    await body.write('a\n\n');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(body.over.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the body of an event stream stays open while nothing is queued for its reader', async () => {
    const body = openSseBody({ ...TIMES, heartbeatMs: 70_000 });
    const reader = body.stream.getReader();
    await body.write('a\n\n');
    await reader.read();
    await vi.advanceTimersByTimeAsync(65_000);
    await body.write('b\n\n');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(body.over.aborted).toBe(false);
    body.end();
  });

  test('the connection of a stalled stream reader is closed if there is one', async () => {
    const hangUp = vi.fn<() => void>();
    const body = openSseBody({ ...TIMES, hangUp });
    const writing = body.write(LARGE);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await writing).toBe(false);
    expect(hangUp).toHaveBeenCalledTimes(1);
  });

  test('the body of an event stream waits for a slow reader, and sends no heartbeat inside a frame', async () => {
    const body = openSseBody(TIMES);
    const reader = body.stream.getReader();
    const writing = body.write(LARGE);
    const decoder = new TextDecoder();
    let text = '';
    while (text.length < LARGE.length) {
      await vi.advanceTimersByTimeAsync(20_000);
      text += decoder.decode((await reader.read()).value);
    }
    expect(await writing).toBe(true);
    expect(text).toBe(LARGE);
    body.end();
  });

  test('the body of an event stream ends when its reader disconnects', async () => {
    const body = openSseBody(TIMES);
    const writing = body.write(LARGE);
    await body.stream.cancel();
    expect(await writing).toBe(false);
    expect(body.over.aborted).toBe(true);
    body.end();
    body.cut();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an optional frame of an event stream is dropped while the reader lags', async () => {
    const body = openSseBody(TIMES);
    body.offer('first\n\n');
    await body.write('x'.repeat(10));
    const writing = body.write(LARGE);
    body.offer('late\n\n');
    const text = textOf(body.stream);
    await writing;
    body.end();
    body.offer('after the end');
    expect(await text).toBe(`first\n\n${'x'.repeat(10)}${LARGE}`);
  });
});
