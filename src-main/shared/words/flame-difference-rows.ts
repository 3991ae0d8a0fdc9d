import type { FlameFrame, FlameTree } from '../answers/flame.ts';
import type { FlameDifference } from '../answers/flame-difference.ts';
import { kernelBaseName } from '../text/kernel-name.ts';
import { cleanText, shortenMiddle } from '../text/text.ts';
import { formatWeight, weights } from './flame-weights.ts';

/** As many functions as a person reads. */
const MOST_FUNCTIONS = 20;
/** A change of less than this share of all is none that anyone would look for. Our own choice. */
const LEAST_SHARE = 0.002;

export const functionHead = ['function', 'below', 'first', 'second', 'change'] as const;

/** `Time in CUDA calls, a step`. */
export function flameDifferenceTitle({ tree, per }: FlameDifference): string {
  return `${weights[tree.weight].label}, ${per === 'step' ? 'a step' : 'a second of recording'}`;
}

/** All of it in one sentence. */
export function flameDifferenceSentence({
  tree,
  first,
  second,
  functions,
}: FlameDifference): string {
  const all = `With a stack: ${weightOf(tree.unit, first.whole)} in the first run, ${weightOf(tree.unit, second.whole)} in the second (${changeText(tree.unit, second.whole - first.whole)}).`;
  const most = functions.find(({ mayBeChance }) => !mayBeChance);
  const name = most && tree.frames[most.frame];
  if (most === undefined || name === undefined || most.first === most.second)
    return `${all} No function changed${hasChanges(functions) ? ' by more than may be chance' : ''}.`;
  return `${all} Most of all changed ${shortFunctionName(name)}, by ${changeText(tree.unit, most.second - most.first)}.`;
}

const hasChanges = (functions: FlameDifference['functions']) =>
  functions.some(({ first, second }) => first !== second);

/** The functions that changed most, each with what ended in it itself. */
export function functionRows({ tree, first, second, functions }: FlameDifference): string[][] {
  const least = LEAST_SHARE * Math.max(first.whole, second.whole);
  return functions
    .filter((row) => Math.abs(row.second - row.first) >= least)
    .slice(0, MOST_FUNCTIONS)
    .map((row) => [
      functionName(tree.frames[row.frame]),
      row.under === undefined ? '' : functionName(tree.frames[row.under]),
      weightOf(tree.unit, row.first),
      weightOf(tree.unit, row.second),
      `${changeText(tree.unit, row.second - row.first)}${row.mayBeChance ? ', may be chance' : ''}`,
    ]);
}

/** `+1.200 ms`, `−35 samples`, `as before`. */
export function changeText(unit: FlameTree['unit'], change: number): string {
  if (change === 0) return 'as before';
  return `${change < 0 ? '−' : '+'}${weightOf(unit, Math.abs(change))}`;
}

/** A weight of a mean step or second: of samples that may be less than one. */
export function weightOf(unit: FlameTree['unit'], value: number): string {
  return unit === 'samples' ? `${value.toFixed(2)} samples` : formatWeight(unit, Math.round(value));
}

/** `gemm (GPU)`, of a kernel without its parameters. */
function shortFunctionName(frame: FlameFrame): string {
  const { demangled, symbol, language } = frame;
  if (language !== 'gpu') return functionName(frame);
  return `${cleanText(kernelBaseName(demangled ?? symbol), 100)} (GPU)`;
}

/** `collate (data.py)`, `gemm (GPU)`; a long one is cut in its middle, since templates of one kernel differ at their end. */
export function functionName(frame: FlameFrame | undefined, maxLength = 100): string {
  if (frame === undefined) return '';
  const { demangled, symbol, file, language } = frame;
  const where = language === 'gpu' ? 'GPU' : file?.split(/[\\/]/).at(-1);
  const name = `${demangled ?? symbol}${where === undefined ? '' : ` (${where})`}`;
  return shortenMiddle(cleanText(name, Infinity), maxLength);
}
