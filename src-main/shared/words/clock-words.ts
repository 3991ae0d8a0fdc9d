import type { HostClock } from '../model/clocks.ts';
import { hostLabel, UNNAMED_HOST } from '../model/hosts.ts';
import type { Hardware, Notice } from '../model/trace.ts';
import { formatDuration } from '../text/units.ts';

type Hosts = Pick<Hardware, 'hosts'>;

/** `± 3.000 ms`: how far times of `host` are known on the clock of the trace. */
export function clockText({ uncertaintyNs }: HostClock): string {
  if (uncertaintyNs === undefined) return 'not measured';
  return uncertaintyNs === 0 ? 'that of this trace' : `± ${formatDuration(uncertaintyNs)}`;
}

/** What to know before times of different machines are compared. */
export function clockNotices(hardware: Hosts, clocks: readonly HostClock[] | undefined): Notice[] {
  if (clocks === undefined) return [];
  const machines = clocks.flatMap((clock, host) => {
    const name = hostLabel(hardware, host);
    return name === UNNAMED_HOST ? [] : [{ ...clock, name }];
  });
  const open = machines.filter(({ uncertaintyNs }) => uncertaintyNs === undefined);
  const measured = machines.filter(({ uncertaintyNs = 0 }) => uncertaintyNs > 0);
  return [
    ...(open.length > 0 && machines.length > 1 ? [unmeasured(machines.length, open)] : []),
    ...(measured.length > 0 ? [broughtInLine(measured)] : []),
  ];
}

type Named = HostClock & { readonly name: string };

function unmeasured(machines: number, open: readonly Named[]): Notice {
  // Of two, one that nobody measured leaves open how far both are apart.
  const areAll = open.length === machines || machines === 2;
  const names = open.map(({ name }) => name).join(', ');
  const clocks = areAll ? 'these clocks are apart' : `the clocks of ${names} are from the others`;
  return {
    level: 'warning',
    text: `Recorded on ${machines} machines, each by its own clock. How far ${clocks} was not measured: times of different machines are compared as recorded, so which of two events came first is not known.`,
  };
}

function broughtInLine(measured: readonly Named[]): Notice {
  const each = measured.map(
    ({ name, offsetNs, uncertaintyNs = 0 }) =>
      `${name} ${offsetNs === 0 ? 'as it was' : `by ${formatDuration(offsetNs)}`}, right to ± ${formatDuration(uncertaintyNs)}`,
  );
  return {
    level: 'info',
    text: `The clocks of several machines were aligned: ${each.join('; ')}. For events on different machines closer together than this, which came first is not known.`,
  };
}
