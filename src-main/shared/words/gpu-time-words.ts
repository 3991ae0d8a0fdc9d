import type { RankDiagnosis } from '../answers/diagnosis.ts';
import { type DeviceTime, type IdleCause, idleCauses } from '../answers/steps.ts';
import { formatShare } from '../text/units.ts';

/** What the loop did while the GPU had nothing to do: `… while it launched kernels`. */
const idleWords: Readonly<Record<IdleCause, string>> = {
  input: 'waited for input',
  copy: 'was in a copy to the GPU',
  launch: 'launched kernels one by one',
  sync: 'was still in a call that waits for a GPU',
  allocate: 'allocated or freed memory',
  collective: 'was in a collective',
  call: 'was in other CUDA calls',
  request: 'waited for a request',
  host: 'did something else, outside of CUDA calls',
};

/** Less than this of the time is not named. */
const NAMED_SHARE = 0.005;

/** `41.0 % while the loop waited for input, 8.0 % while it launched kernels`; empty where nothing is worth naming. */
export function idleByText({ idleBy }: DeviceTime, lengthNs: number, inputKnown: boolean): string {
  return idleCauses
    .filter((cause) => idleBy[cause] >= lengthNs * NAMED_SHARE && idleBy[cause] > 0)
    .sort((a, b) => idleBy[b] - idleBy[a])
    .map((cause, at) => {
      const what =
        cause === 'host' && !inputKnown
          ? 'was outside CUDA calls, which includes waiting for input'
          : idleWords[cause];
      return `${formatShare(idleBy[cause], lengthNs)} while ${at === 0 ? 'the loop' : 'it'} ${what}`;
    })
    .join(', ');
}

/** `computing 42.0 %, only copying 10.0 %, idle 48.0 %`. */
export function deviceTimeText(time: DeviceTime, lengthNs: number): string {
  const parts: readonly (readonly [what: string, ns: number])[] = [
    ['computing', time.computingNs],
    ['in collectives', time.collectiveNs],
    ['only copying', time.copyingNs],
    ['idle', time.idleNs],
    ['not known', time.unknownNs],
  ];
  return parts
    .filter(([what, ns]) => ns > 0 || what === 'computing' || what === 'idle')
    .map(([what, ns]) => `${what} ${formatShare(ns, lengthNs)}`)
    .join(', ');
}

/** What the GPUs of one rank did while its loop was judged, one line for each; none without their records. */
export function gpuTimeLines({
  steps,
  starvation: { recorded, note, basis },
  inputKnown,
}: Pick<RankDiagnosis, 'steps' | 'starvation' | 'inputKnown'>): string[] {
  if (recorded === undefined) return [];
  const lengthNs = steps.window[1] - steps.window[0];
  if (!(lengthNs > 0)) return [];
  const lines = recorded.devices.map((time) => {
    const why = idleByText(time, lengthNs, inputKnown);
    return `${time.label}: ${deviceTimeText(time, lengthNs)}${why === '' ? '' : ` (${why})`}.`;
  });
  const { unused } = recorded;
  return [
    ...lines,
    ...(unused.length > 0 ? [`Nothing that is recorded ran on ${unused.join(', ')}.`] : []),
    ...(basis === 'bound' ? [note] : []),
  ];
}
