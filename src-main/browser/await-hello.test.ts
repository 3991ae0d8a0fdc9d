import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { awaitHello } from './await-hello.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const nextLoop = () => new Promise((resolve) => setImmediate(resolve));

/** A socket and its stream; `isRight`: what is said of its first frame. */
async function wait(isRight = true, stream: Writable = new PassThrough().resume()) {
  let isEnded = false;
  const socket = Object.assign(new EventEmitter(), {
    terminate() {
      isEnded = true;
      socket.emit('close');
    },
  });
  const taken: string[] = [];
  awaitHello(socket as unknown as WebSocket, stream as Socket, (frame) => {
    taken.push(frame);
    return isRight;
  });
  await nextLoop();
  const isClosed = async () => {
    await nextLoop();
    return isEnded;
  };
  return { socket, taken, isClosed };
}

test('one that says nothing ends within 2 s, not sooner than a far page needs', async () => {
  const { isClosed } = await wait();
  vi.advanceTimersByTime(1_500);
  expect(await isClosed()).toBe(false);
  vi.advanceTimersByTime(500);
  expect(await isClosed()).toBe(true);
});

test('the frame that lies unread as the time is up is heard', async () => {
  const { socket, taken, isClosed } = await wait();
  vi.advanceTimersByTime(60_000);
  // As after a stall of the loop: timers run first, then what came meanwhile is read.
  socket.emit('message', 'hello', false);
  expect(await isClosed()).toBe(false);
  expect(taken).toEqual(['hello']);
});

test('the time begins once the upgrade was answered, which has its own', async () => {
  let flush: () => void = () => undefined;
  const slow = () =>
    new Writable({
      write(_chunk, _encoding, done) {
        flush = done;
      },
    });
  const stream = slow();
  stream.write('HTTP/1.1 101');
  const held = await wait(true, stream);
  vi.advanceTimersByTime(5_000);
  expect(await held.isClosed()).toBe(false);
  flush();
  await nextLoop();
  flush();
  await nextLoop();
  vi.advanceTimersByTime(1_500);
  expect(await held.isClosed()).toBe(false);
  vi.advanceTimersByTime(500);
  expect(await held.isClosed()).toBe(true);
  const stuck = slow();
  stuck.write('HTTP/1.1 101');
  const never = await wait(true, stuck);
  vi.advanceTimersByTime(10_000);
  expect(await never.isClosed()).toBe(true);
});

test('a wrong frame ends it after a second in which the close can be answered', async () => {
  const { socket, isClosed } = await wait(false);
  socket.emit('message', 'wrong', false);
  vi.advanceTimersByTime(900);
  expect(await isClosed()).toBe(false);
  vi.advanceTimersByTime(100);
  expect(await isClosed()).toBe(true);
});
