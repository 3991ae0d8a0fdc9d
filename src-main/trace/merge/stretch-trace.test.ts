import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { columnSpecs, tableNames } from '../../shared/model/schema.ts';
import { traceArbitrary as traces } from '../testing/trace-arbitrary.ts';
import { stretchTrace } from './stretch-trace.ts';

const drifts = fc.double({ min: -5e-4, max: 5e-4, noNaN: true });

test('what lay within another event, or met it, still does; nothing changes places', () => {
  fc.assert(
    fc.property(traces, drifts, (trace, drift) => {
      const after = stretchTrace(trace, drift);
      for (const table of tableNames) {
        const [old, now] = [columnsOf(trace, table), columnsOf(after, table)];
        expect(Object.keys(now)).toEqual(Object.keys(old));
        const ends = (columns: typeof old) =>
          Array.from(columns.startNs ?? [], (ns, row) => ns + (columns.durationNs?.[row] ?? 0));
        const moments = [...(old.startNs ?? []), ...ends(old)];
        const moved = [...(now.startNs ?? []), ...ends(now)];
        const order = moments.map((_, at) => at).sort((a, b) => moments[a] - moments[b]);
        for (const [place, at] of order.entries()) {
          const next = order[place + 1] ?? at;
          expect(moved[at]).toBeLessThanOrEqual(moved[next]);
          if (moments[at] === moments[next]) expect(moved[at]).toBe(moved[next]);
        }
      }
    }),
    { numRuns: 30, seed: 7 },
  );
});

test('parts of an event are no longer than the event, and what is not known stays so', () => {
  fc.assert(
    fc.property(traces, drifts, (trace, drift) => {
      const after = stretchTrace(trace, drift);
      for (const table of tableNames) {
        const [old, now] = [columnsOf(trace, table), columnsOf(after, table)];
        for (const [name, { unit, isMoment }] of columnSpecs(table)) {
          const [before, cells] = [old[name], now[name]];
          if (before === undefined || cells === undefined) continue;
          if (unit !== 'ns') expect(cells).toBe(before);
          else if (isMoment !== true && name !== 'durationNs')
            before.forEach((ns, row) => {
              if (ns < 0) expect(cells[row]).toBe(ns);
              else if (ns <= (old.durationNs?.[row] ?? -1))
                expect(cells[row]).toBeLessThanOrEqual(now.durationNs?.[row] ?? 0);
            });
        }
      }
    }),
    { numRuns: 30, seed: 7 },
  );
});

test('each ns since its begin gains the same', () => {
  fc.assert(
    fc.property(traces, (trace) => {
      const { meta } = stretchTrace(trace, 1e-4);
      expect(meta.lengthNs).toBe(trace.meta.lengthNs + Math.round(trace.meta.lengthNs * 1e-4));
      expect(stretchTrace(trace, 0)).toBe(trace);
    }),
    { numRuns: 20, seed: 7 },
  );
});
