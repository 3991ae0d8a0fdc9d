import type { FlameFrame } from '../../shared/answers/flame.ts';
import { gpuWorkKind } from '../../shared/answers/gpu-work.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import { MAX_NAMES, NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { plainWorkName } from '../../shared/words/gpu-work-words.ts';
import { perStacks, perTrace } from '../index/per-trace.ts';
import { readableName } from '../stacks/frame-names.ts';
import { type FlameFunctions, flameFunctions } from './flame-functions.ts';

/** The paths from the outermost function inwards that events of a weight are on, each with a number. */
export interface FlamePaths extends Pick<FlameFunctions, 'find'> {
  readonly length: number;
  /** Its functions, outermost first; empty where there is none of that number. */
  pathOf(path: number): Int32Array;
  /** The stack of a thread that it goes through. */
  stackOf(path: number): number;
  /** A function, or a piece of GPU work, as it is shown. */
  named(id: number): FlameFrame;
}

/** Of GPU work the path ends in what the GPU ran; of all else it is the stack. */
export function flamePaths(trace: Trace, weight: FlameWeight): FlamePaths {
  return weight === 'gpu-time' ? workPaths(trace).paths : stackPaths(trace);
}

const stackPaths = perStacks((stacks): FlamePaths => {
  const { find, named, pathOf } = flameFunctions({ stacks });
  return { length: stacks.length, find, named, pathOf, stackOf: (path) => path };
});

/** Where GPU work was asked for, and what the GPU ran. */
interface WorkPath {
  /** -1 = none is recorded: then the call stands alone. */
  readonly stack: number;
  /** Index into the frames of GPU work and its calls; -1 where there is a stack. */
  readonly call: number;
  /** Index into the same. */
  readonly work: number;
}

/** The paths of GPU work, and by row of gpu_work which of them it is on; -1 = its call is not known. */
export const workPaths = perTrace((trace): { paths: FlamePaths; ofRow: Int32Array } => {
  const frames: FlameFrame[] = [];
  const all: WorkPath[] = [];
  const known = new Map<number, number>();
  const frameOf = workFrames(trace, frames);
  const askedBy = askedByReader(trace, frames);
  const { length } = trace.stacks;
  const ofRow = Int32Array.from(trace.tables.gpu_work.columns.op, (_, row) => {
    const { stack, call } = askedBy(row);
    if (stack === NONE && call === NONE) return NONE;
    const work = frameOf(row);
    const key = work * (length + MAX_NAMES) + (stack === NONE ? length + call : stack);
    const path = known.get(key) ?? all.push({ stack, call, work }) - 1;
    known.set(key, path);
    return path;
  });
  return { paths: pathsOf(flameFunctions(trace), frames, all), ofRow };
});

function pathsOf(
  functions: FlameFunctions,
  frames: readonly FlameFrame[],
  all: readonly WorkPath[],
): FlamePaths {
  const first = functions.frames.length;
  const made: (Int32Array | undefined)[] = new Array(all.length);
  const make = ({ stack, call, work }: WorkPath) =>
    Int32Array.from([...(stack === NONE ? [first + call] : functions.pathOf(stack)), first + work]);
  return {
    length: all.length,
    pathOf(path) {
      const of = all[path];
      if (of === undefined) return functions.pathOf(NONE);
      const known = made[path] ?? make(of);
      made[path] = known;
      return known;
    },
    stackOf: (path) => all[path]?.stack ?? NONE,
    named: (id) => frames[id - first] ?? functions.named(id),
    find(symbol, file) {
      const isFound = (frame: FlameFrame) => frame.symbol === symbol && (file ?? '') === '';
      const found = frames.flatMap((frame, work) => (isFound(frame) ? [first + work] : []));
      return [...functions.find(symbol, file), ...found];
    },
  };
}

/** Codes of a kind and of a direction are less than this. */
const CODES = 16;

/** By row, which of `frames` the work is: kernels by their names, all else by what it does. */
function workFrames(trace: Trace, frames: FlameFrame[]): (row: number) => number {
  const { op, kind = [], direction = [] } = trace.tables.gpu_work.columns;
  const bySymbol = new Map<string, number>();
  const byCodes = new Map<number, number>();
  const frameOf = (row: number) => {
    const plain = plainWorkName(gpuWorkKind(kind[row], direction[row]), direction[row] ?? 0);
    const symbol = plain ?? trace.names[op[row]] ?? 'unknown';
    const known = bySymbol.get(symbol) ?? frames.push(workFrame(symbol)) - 1;
    bySymbol.set(symbol, known);
    return known;
  };
  return (row) => {
    const codes = (op[row] * CODES + (kind[row] ?? 0)) * CODES + (direction[row] ?? 0);
    const known = byCodes.get(codes) ?? frameOf(row);
    byCodes.set(codes, known);
    return known;
  };
}

function workFrame(symbol: string): FlameFrame {
  const readable = readableName(symbol);
  return { symbol, language: 'gpu', ...(readable !== symbol && { demangled: readable }) };
}

/** Calls enclose each other no deeper, but in a damaged file. */
const MAX_DEPTH = 64;

/** By row, the stack of the call that asked for it, of calls inside each other of the innermost that has one; else the outermost call. */
function askedByReader(
  { tables, names }: Trace,
  frames: FlameFrame[],
): (row: number) => Omit<WorkPath, 'work'> {
  const { cuda_call: calls, gpu_work: work } = tables;
  const { op, stack, parent } = calls.columns;
  const byOp = new Map<number, number>();
  const callFrame = (name: number) => {
    const symbol = `${names[name] ?? 'unknown'}, stack not recorded`;
    const known = byOp.get(name) ?? frames.push({ symbol, language: 'native' }) - 1;
    byOp.set(name, known);
    return known;
  };
  return (row) => {
    let outermost = NONE;
    let at = callOf(work.columns.call?.[row], calls.rows);
    for (let depth = 0; depth < MAX_DEPTH && at !== NONE; depth++) {
      const own = stack?.[at] ?? NONE;
      if (own !== NONE) return { stack: own, call: NONE };
      outermost = at;
      at = callOf(parent?.[at], calls.rows);
    }
    return { stack: NONE, call: outermost === NONE ? NONE : callFrame(op[outermost]) };
  };
}

/** The call that a cell names, where the table has it. */
export function callOf(cell: number | undefined, calls: number): number {
  return cell !== undefined && cell >= 0 && cell < calls ? cell : NONE;
}
