import { expect, test, vi } from 'vitest';
import { createFrameScheduler } from './frame-scheduler.ts';

test('many requests are one frame, and each drawing runs once', () => {
  const frames: (() => void)[] = [];
  const cancel = vi.fn();
  const scheduler = createFrameScheduler((callback) => frames.push(callback), cancel);
  const tracks = vi.fn();
  const ruler = vi.fn();
  scheduler.request(tracks);
  scheduler.request(ruler);
  scheduler.request(tracks);
  expect(frames).toHaveLength(1);
  frames[0]?.();
  expect(tracks).toHaveBeenCalledOnce();
  expect(ruler).toHaveBeenCalledOnce();
  scheduler.request(tracks);
  expect(frames).toHaveLength(2);
  scheduler.stop();
  expect(cancel).toHaveBeenCalledWith(2);
});
