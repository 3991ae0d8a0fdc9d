import { expect, test } from 'vitest';
import { hostClocks } from '../model/clocks.ts';
import { UNNAMED_HOST } from '../model/hosts.ts';
import type { Clock } from '../model/trace.ts';
import { clockNotices, clockText } from './clock-words.ts';

const clock = (host: number, offsetNs: number, uncertaintyNs?: number): Clock => ({
  ...{ host, offsetNs, readings: [] },
  ...(uncertaintyNs !== undefined && { uncertaintyNs }),
});
const hostsOf = (...names: string[]) => names.map((hostname) => ({ hostname }));
const told = (names: readonly string[], ...clocks: Clock[]) => {
  const hosts = hostsOf(...names);
  const known = hostClocks({ hosts, clocks });
  return {
    texts: known?.map(clockText),
    notices: clockNotices({ hosts }, known).map(({ level, text }) => `${level}: ${text}`),
  };
};

test('of one host nothing is said', () => {
  expect(told(['a'], clock(0, 0))).toEqual({ texts: undefined, notices: [] });
});

test('a host without a clock, and one whose offset nobody measured, is said to be so', () => {
  const open = [
    'warning: Recorded on 2 machines, each by its own clock. How far these clocks are apart was not measured: times of different machines are compared as recorded, so which of two events came first is not known.',
  ];
  const texts = ['that of this trace', 'not measured'];
  expect(told(['a', 'b'], clock(0, 0, 0))).toEqual({ texts, notices: open });
  expect(told(['a', 'b'], clock(0, 0, 0), clock(1, 5e6))).toEqual({ texts, notices: open });
  expect(told(['a', 'b'])).toEqual({ texts, notices: open });
  expect(told(['a', 'b'], clock(0, 0), clock(1, 0)).notices).toEqual(open);
  const { notices } = told(['a', 'b', 'c'], clock(0, 0, 0), clock(1, 0), clock(2, 7, 9));
  expect(notices[0]).toContain('How far the clocks of b are from the others was not measured');
});

test('an offset that was measured is told with how far it is right', () => {
  expect(told(['a', 'b'], clock(0, 0, 0), clock(1, 5e6, 3e6))).toEqual({
    texts: ['that of this trace', '± 3.000 ms'],
    notices: [
      'info: The clocks of several machines were aligned: b by 5.000 ms, right to ± 3.000 ms. For events on different machines closer together than this, which came first is not known.',
    ],
  });
});

test('what is of no named machine is none to compare with', () => {
  expect(told(['a', UNNAMED_HOST], clock(0, 0), clock(1, 0)).notices).toEqual([]);
});
