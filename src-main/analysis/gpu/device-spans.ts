import type { TimeSpan } from '../../shared/answers/summary.ts';
import { codeOf, directions } from '../../shared/model/codes.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { perNumber } from '../index/per-trace.ts';
import { SpanList, type Spans, spansOfAny } from '../index/spans.ts';
import { workName } from '../operations/gpu-record.ts';
import { devicesOf, isCopyWork } from './devices.ts';

/** When a GPU worked, by its own records, over the whole trace. */
export interface DeviceSpans {
  /** It ran anything. */
  readonly busy: Spans;
  /** It ran a kernel, a fill or a graph, whatever else beside them; those of collectives do not count. */
  readonly computing: Spans;
  /** It ran a kernel of a collective, which waits for other ranks. */
  readonly collective: Spans;
  /** It copied to itself from host memory. */
  readonly h2d: Spans;
  /** When each piece of computing began, in order. */
  readonly kernelsNs: Float64Array;
}

/** One pass over the records of a device, kept with the trace. */
export const deviceSpans = perNumber((trace, device): DeviceSpans => {
  const { durationNs, direction, op } = trace.tables.gpu_work.columns;
  const { rows, startsNs } = devicesOf(trace).rowsOn(device);
  const busy = new SpanList(ALWAYS);
  const computing = new SpanList(ALWAYS);
  const collective = new SpanList(ALWAYS);
  const h2d = new SpanList(ALWAYS);
  const kernelsNs = new Float64Array(rows.length);
  let kernels = 0;
  const known: (boolean | undefined)[] = [];
  // Only names of GPU work are read: most of a trace's are of functions, and reading one takes time.
  const isCollective = (name: number) => (known[name] ??= COLLECTIVE.test(workName(trace, name)));
  for (let at = 0; at < rows.length; at++) {
    const endNs = startsNs.nsAt(at) + durationNs[rows[at]];
    busy.add(startsNs.nsAt(at), endNs);
    if (isCollective(op[rows[at]])) collective.add(startsNs.nsAt(at), endNs);
    else if (!isCopyWork(trace, rows[at])) {
      computing.add(startsNs.nsAt(at), endNs);
      kernelsNs[kernels++] = startsNs.nsAt(at);
    } else if (direction?.[rows[at]] === H2D) h2d.add(startsNs.nsAt(at), endNs);
  }
  return {
    busy: busy.spans(),
    computing: computing.spans(),
    collective: collective.spans(),
    h2d: h2d.spans(),
    kernelsNs: kernelsNs.slice(0, kernels),
  };
});

/** `ncclDevKernel_AllReduce_…`, `ncclKernel_…`. */
const COLLECTIVE = /^(void )?nccl.*kernel/i;
const H2D = codeOf(directions, 'H2D');
const ALWAYS: TimeSpan = [-Infinity, Infinity];

/** All of `window`. */
export function wholeSpan(window: TimeSpan): Spans {
  const whole = new SpanList(window);
  whole.add(window[0], window[1]);
  return whole.spans();
}

/** What of `spans` lies in `window`. */
function spansIn({ startsNs, endsNs }: Spans, window: TimeSpan): Spans {
  const list = new SpanList(window);
  for (let at = 0; at < startsNs.length; at++) list.add(startsNs[at], endsNs[at]);
  return list.spans();
}

/** Several GPUs taken together. */
export function ofAnyDevice(all: readonly DeviceSpans[]): DeviceSpans {
  const join = (of: (spans: DeviceSpans) => Spans) => spansOfAny(all.map(of));
  return {
    busy: join(({ busy }) => busy),
    computing: join(({ computing }) => computing),
    collective: join(({ collective }) => collective),
    h2d: join(({ h2d }) => h2d),
    kernelsNs: all.length === 1 ? all[0].kernelsNs : joined(all),
  };
}

function joined(all: readonly DeviceSpans[]): Float64Array {
  return Float64Array.from(all.flatMap(({ kernelsNs }) => [...kernelsNs])).sort();
}

/** What of them lies in `window`. */
export function deviceSpansIn(spans: DeviceSpans, window: TimeSpan): DeviceSpans {
  return {
    busy: spansIn(spans.busy, window),
    computing: spansIn(spans.computing, window),
    collective: spansIn(spans.collective, window),
    h2d: spansIn(spans.h2d, window),
    kernelsNs: spans.kernelsNs,
  };
}

/** How much of [fromNs, toNs) lies in them: a binary search, then those that touch it. */
export function nsWithin({ startsNs, endsNs }: Spans, fromNs: number, toNs: number): number {
  let ns = 0;
  for (let at = upperBound(endsNs, fromNs); startsNs[at] < toNs; at++)
    ns += Math.min(toNs, endsNs[at]) - Math.max(fromNs, startsNs[at]);
  return ns;
}
