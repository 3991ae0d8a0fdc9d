import { expect, test } from 'vitest';
import { cleanUpText } from './clean-up-text.ts';

const left = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `/var/tmp/${index}`, why: 'busy' }));

test('says what was freed, and what is left and why', () => {
  expect(cleanUpText({ freedBytes: 12_582_912, left: [] }, 'gpu-box')).toBe(
    '12.00 MiB freed on gpu-box, nothing left there.',
  );
  expect(cleanUpText({ freedBytes: 0, left: [] }, 'gpu-box')).toBe(
    'Stalltrace has nothing on gpu-box.',
  );
  expect(cleanUpText({ freedBytes: 1024, left: left(1) }, 'gpu-box')).toBe(
    '1.000 KiB freed on gpu-box. Still there: /var/tmp/0 (busy).',
  );
  // Why it is left may be a sentence of its own.
  const kept = [{ path: '/var/tmp/0', why: 'the agent stays: others need it.' }];
  expect(cleanUpText({ freedBytes: 0, left: kept }, 'gpu-box')).toBe(
    'Nothing freed on gpu-box. Still there: /var/tmp/0 (the agent stays: others need it).',
  );
  expect(cleanUpText({ freedBytes: 1, left: left(5) }, 'b')).toMatch(
    /\/var\/tmp\/2 \(busy\) and 2 more\.$/,
  );
});
