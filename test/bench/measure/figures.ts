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
}

type Measured = Pick<Figure, 'size' | 'figure' | 'unit' | 'value' | 'goal' | 'peer'>;

const name = basename(process.argv[1] ?? '', '.ts');

/** No clock here knows more digits. */
const rounded = (value: number) => Number(value.toPrecision(6));

/** Tells a figure. What could not be measured is no figure. */
export function tell({ goal, peer, ...measured }: Measured): void {
  const { figure, value } = measured;
  if (!Number.isFinite(value) || (peer !== undefined && !Number.isFinite(peer.value)))
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
  };
  const file = process.env.STALLTRACE_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(told)}\n`);
  console.log(lineOf(told));
}

/** One figure as people read it. */
export function lineOf({ size, figure, unit, value, goal, peer, ratio }: Figure): string {
  const of = typeof size === 'number' ? `${size.toLocaleString('en')} events` : size;
  const parts = [`${of}, ${figure}: ${numberOf(value)} ${unit}`];
  if (peer !== undefined)
    parts.push(`${peer.name}: ${numberOf(peer.value)} ${unit}`, `ratio ${shortly(ratio)}`);
  if (goal !== undefined)
    parts.push(`goal ${numberOf(goal)} ${unit}, ${value <= goal ? 'met' : 'missed'}`);
  return parts.join('; ');
}

const shortly = (ratio = Number.NaN) => ratio.toLocaleString('en', { maximumSignificantDigits: 3 });

const numberOf = (value: number) =>
  value.toLocaleString(
    'en',
    value < 1000 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 0 },
  );
