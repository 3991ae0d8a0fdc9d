import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * What a benchmark measured. Run by hand it is printed a line each; `npm run bench -- --json` names a
 * file in STALLTRACE_FIGURES, to which each is added as a line of JSON.
 */

interface Peer {
  readonly name: string;
  /** In the unit of the figure. */
  readonly value: number;
}

export interface Figure {
  /** Of the benchmark. */
  readonly name: string;
  /** Events of the trace, or what else was measured. */
  readonly size: number | string;
  readonly figure: string;
  readonly unit: string;
  readonly value: number;
  /** At most so much, in the same unit. */
  readonly goal?: number;
  readonly peer?: Peer;
  /** The value ÷ the peer's. */
  readonly ratio?: number;
  /** What the least takes on this machine that anybody had to do for it. */
  readonly floors?: readonly Peer[];
}

type Measured = Pick<Figure, 'size' | 'figure' | 'unit' | 'value' | 'goal' | 'peer' | 'floors'>;

const name = basename(process.argv[1] ?? '', '.ts');

/** No clock here knows more digits. */
const rounded = (value: number) => Number(value.toPrecision(6));

/** Tells a figure. What could not be measured is no figure. */
export function tell({ goal, peer, floors, ...measured }: Measured): void {
  const { figure, value } = measured;
  const beside = [...(floors ?? []), ...(peer === undefined ? [] : [peer])];
  if (![value, ...beside.map((one) => one.value)].every(Number.isFinite))
    throw new Error(`${figure} was not measured`);
  const told: Figure = {
    name,
    ...measured,
    value: rounded(value),
    ...(goal !== undefined && { goal: rounded(goal) }),
    ...(peer !== undefined && {
      peer: { ...peer, value: rounded(peer.value) },
      ratio: rounded(value / peer.value),
    }),
    ...(floors !== undefined && {
      floors: floors.map((floor) => ({ ...floor, value: rounded(floor.value) })),
    }),
  };
  const file = process.env.STALLTRACE_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(told)}\n`);
  console.log(lineOf(told));
}

/** One figure as people read it. */
export function lineOf(told: Figure): string {
  const { size, figure, unit, value, goal, peer, ratio, floors = [] } = told;
  const of = typeof size === 'number' ? `${size.toLocaleString('en')} events` : size;
  const parts = [`${of}, ${figure}: ${numberOf(value)} ${unit}`];
  if (peer !== undefined)
    parts.push(`${peer.name}: ${numberOf(peer.value)} ${unit}`, `ratio ${shortly(ratio)}`);
  for (const floor of floors) parts.push(`${floor.name}: ${numberOf(floor.value)} ${unit}`);
  if (goal !== undefined)
    parts.push(`goal ${numberOf(goal)} ${unit}, ${reached(value, goal, floors)}`);
  return parts.join('; ');
}

/** Whether a goal is reached; where it is not, whether the least that there is misses it as well. */
function reached(value: number, goal: number, floors: readonly Peer[]): string {
  if (value <= goal) return 'met';
  const beyond = floors.find((floor) => floor.value > goal);
  return beyond === undefined ? 'missed' : `missed, also by ${beyond.name}`;
}

const shortly = (ratio = Number.NaN) => ratio.toLocaleString('en', { maximumSignificantDigits: 3 });

const numberOf = (value: number) =>
  value.toLocaleString(
    'en',
    value < 1000 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 0 },
  );
