import { type HostKind, hostKinds } from '../../shared/answers/host-time.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { codeOf } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import {
  codesOfFrames,
  type Frame,
  foldStacks,
  nameInClass,
  type Stacks,
} from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perStacks } from '../index/per-trace.ts';
import { SIGN_LOADER, stackSigns } from '../loop/stack-signs.ts';
import { isOwnCode, loaderStacks } from '../stacks/loader-stacks.ts';
import { ownerName } from '../stacks/place-text.ts';
import { type CallSign, callSigns, computing, ownNames, scores, tensorWork } from './call-signs.ts';
import { debugTools } from './debug-tools.ts';
import { functionKey, functionsAround } from './functions-around.ts';

/** Codes of hostKinds. */
export const KIND = Object.fromEntries(hostKinds.map((kind, code) => [kind, code])) as Readonly<
  Record<HostKind, number>
>;

/** What the stacks of a trace say of the training thread's work outside of CUDA calls and the loader; by stack. */
export interface StackKinds {
  /** Code of hostKinds, by what is called: sure. */
  readonly called: Uint8Array;
  /** Code of hostKinds, by the names of the job's own functions. */
  readonly named: Uint8Array;
  /** 1 = in a library that computes on the CPU; 2 = in PyTorch's own code for the CPU, or in a library that it calls. */
  readonly computes: Uint8Array;
  /** The row of the stacks with the outermost function that evaluates or works out figures, by name or library; -1 = none. */
  readonly evaluates: Int32Array;
  /** 1 = that function is called like figures. */
  readonly figures: Uint8Array;
  /** A number for the function that the work is told of, equal for all lines of it; -1 = none. */
  readonly functions: Int32Array;
  /** The row of the stacks with that function's frame: the innermost of the job's own, else of Python; -1 = none. */
  readonly places: Int32Array;
}

const COMPUTES_LIBRARY = 1;
const COMPUTES_TENSORS = 2;

/** What the stacks say where nothing is known of the loop. */
export const stackKinds = perStacks((stacks): StackKinds => kindsOfStacks(stacks, noFunctions));

/**
 * As stackKinds, for the loop of `mainThread` in `window`: a function in which all of it runs is the loop itself, and how
 * it is called says nothing of a part of it. `score_users` is no figure of a loop that scores users.
 */
export function loopKinds(trace: Trace, mainThread: number, window: TimeSpan): StackKinds {
  const around = functionsAround(trace, mainThread, window, (frame) => saysBy(frame) !== 0);
  return around.size === 0 ? stackKinds(trace) : kindsOfStacks(trace.stacks, around);
}

const noFunctions: ReadonlySet<string> = new Set();

function kindsOfStacks(stacks: Stacks, around: ReadonlySet<string>): StackKinds {
  const { length } = stacks;
  const { signs } = stackSigns({ stacks });
  const { own, python } = loaderStacks({ stacks });
  const firstOf = (codeOfFrame: (frame: Frame) => number) => {
    const codes = codesOfFrames(stacks, codeOfFrame);
    return foldStacks(stacks, new Uint8Array(length), 0, (caller, frame) =>
      caller === 0 || (codes[frame] > 0 && codes[frame] < caller) ? codes[frame] || caller : caller,
    );
  };
  const isLoop = (frame: Frame) => around.has(functionKey(frame));
  const called = firstOf((frame) => {
    const sign = callSigns.findIndex((one) => fits(one, frame));
    return callSigns[sign]?.kind === 'evaluation' && isLoop(frame) ? 0 : 1 + sign;
  });
  const named = firstOf((frame) => (isLoop(frame) ? 0 : 1 + nameOf(frame)));
  const computes = firstOf(computesCode);
  const isTorch = codesOfFrames(stacks, ({ file = '' }) => Number(TORCH_FILE.test(file)));
  const tools = debugTools({ stacks });
  for (let stack = 0; stack < length; stack++) {
    const sign = signs[stack] === SIGN_LOADER ? 'loader' : callSigns[called[stack] - 1]?.kind;
    called[stack] = codeOf(hostKinds, sign ?? 'none');
    // What a tool for a hunt does is that, whatever the function is called that uses it.
    const kind = tools[stack] > 0 ? undefined : ownNames[named[stack] - 1]?.kind;
    named[stack] = codeOf(hostKinds, kind ?? 'none');
    if (computes[stack] > 0 && isTorch[stacks.frame[python[stack]] ?? NONE] === 1)
      computes[stack] = COMPUTES_TENSORS;
  }
  const places = own.map((at, stack) => (at === NONE ? python[stack] : at));
  const functions = functionsOf(stacks, places);
  return { called, named, computes, ...evaluationsOf(stacks, isLoop), places, functions };
}

/** PyTorch has BLAS compute for it, as others do. */
const TORCH_FILE = /\/torch\//;

const [EVALUATES, FIGURES, OTHER_NAME] = [1, 2, 3];

const evaluationSigns = callSigns.filter(({ kind }) => kind === 'evaluation');

/** What the name or the library of one function says of it; 0 = nothing. */
function saysBy(frame: Frame): number {
  const named = ownNames[nameOf(frame)]?.kind;
  if (named === 'evaluation' || evaluationSigns.some((sign) => fits(sign, frame))) return EVALUATES;
  if (named === 'host-metrics') return FIGURES;
  if (named !== undefined) return OTHER_NAME;
  return isOwnCode(frame) && scores.test(nameInClass(frame.symbol)) ? FIGURES : 0;
}

function evaluationsOf(
  stacks: Stacks,
  isLoop: (frame: Frame) => boolean,
): Pick<StackKinds, 'evaluates' | 'figures'> {
  const says = codesOfFrames(stacks, (frame) => {
    const code = saysBy(frame);
    return code === OTHER_NAME || isLoop(frame) ? 0 : code;
  });
  const evaluates = foldStacks(
    stacks,
    new Int32Array(stacks.length),
    NONE,
    (caller, frame, stack) => (caller === NONE && says[frame] !== 0 ? stack : caller),
  );
  const figures = Uint8Array.from(evaluates, (at) =>
    at !== NONE && says[stacks.frame[at]] === FIGURES ? 1 : 0,
  );
  return { evaluates, figures };
}

function fits({ symbol, file, isNative }: CallSign, frame: Frame): boolean {
  if ((frame.language === 'native') !== (isNative === true)) return false;
  if (file !== undefined && !file.test(frame.file ?? '')) return false;
  return symbol === undefined || symbol.test(isNative ? frame.symbol : nameInClass(frame.symbol));
}

function nameOf(frame: Frame): number {
  if (!isOwnCode(frame)) return -1;
  const name = nameInClass(frame.symbol);
  const owner = frame.symbol.slice(0, -name.length - 1);
  return ownNames.findIndex(
    ({ name: own, not, inClass }) =>
      own.test(name) && not?.test(name) !== true && inClass?.test(owner) !== false,
  );
}

function computesCode(frame: Frame): number {
  if (computing.some((sign) => fits(sign, frame))) return COMPUTES_LIBRARY;
  return tensorWork.some((sign) => fits(sign, frame)) ? COMPUTES_TENSORS : 0;
}

function functionsOf(stacks: Stacks, places: Int32Array): Int32Array {
  const { symbol, file } = stacks.frames;
  const named = stacks.texts.map(ownerName);
  const numbers = new Map<string, number>();
  return places.map((at) => {
    if (at === NONE) return NONE;
    const frame = stacks.frame[at];
    const key = `${named[symbol[frame]]} ${file[frame]}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/**
 * The kind of what the thread did with `stack`: what it called, else how its own functions are called. `isPreparing` =
 * between a batch's arrival and its copy to the GPU: who computes then does it for the batch.
 */
export function kindOfStack(kinds: StackKinds, stack: number, isPreparing: boolean): number {
  const called = kinds.called[stack] ?? KIND.none;
  if (called !== KIND.none) return called;
  const named = kinds.named[stack] ?? KIND.none;
  if (named !== KIND.none) return named;
  return isPreparing && (kinds.computes[stack] ?? 0) > 0 ? KIND['host-data-movement'] : KIND.none;
}

/** Whether `stack` is in a library that computes on the CPU, which alone does not say what for. */
export function isInLibrary({ computes }: StackKinds, stack: number): boolean {
  return computes[stack] === COMPUTES_LIBRARY;
}
