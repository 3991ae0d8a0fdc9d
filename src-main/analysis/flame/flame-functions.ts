import type { NamedFrame } from '../../shared/answers/flame.ts';
import { type Frame, frameAt, type Stacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';
import { namedFrame, withoutOffset } from '../stacks/frame-names.ts';

/** The functions of a trace: frames that differ in their line or in an offset only are one. */
export interface FlameFunctions {
  /** One frame for each function, without line or offset. */
  readonly frames: readonly Frame[];
  /** By frame of the stacks: index into `frames`. */
  readonly ofFrame: Int32Array;
  /** A function as it is shown. */
  named(id: number): NamedFrame;
  /**
   * The functions of a stack, outermost first; empty where there is none of that number. Of a forked process they begin with
   * its birth: what its parent was doing then is above that in the recorded stack, and no work of the child's.
   */
  pathOf(stack: number): Int32Array;
  /** The functions with that symbol, in `file` where given: '' = in none. */
  find(symbol: string, file: string | undefined): number[];
}

const NO_FRAMES = new Int32Array(0);

/** The functions of `trace`, kept with its stacks: a path is walked once, however often it is asked for. */
export const flameFunctions = perStacks(createFunctions);

function createFunctions(stacks: Stacks): FlameFunctions {
  const frames: Frame[] = [];
  const named: (NamedFrame | undefined)[] = [];
  const bySymbol = new Map<string, number[]>();
  const paths: (Int32Array | undefined)[] = new Array(stacks.length);

  function idOf({ symbol: recorded, file, language }: Frame): number {
    const symbol = withoutOffset(recorded);
    const alike = bySymbol.get(symbol);
    const found = alike?.find(
      (id) => frames[id]?.file === file && frames[id]?.language === language,
    );
    if (found !== undefined) return found;
    const id = frames.push({ symbol, language, ...(file !== undefined && { file }) }) - 1;
    if (alike === undefined) bySymbol.set(symbol, [id]);
    else alike.push(id);
    return id;
  }

  const ofFrame = new Int32Array(stacks.frames.length);
  for (let frame = 0; frame < ofFrame.length; frame++)
    ofFrame[frame] = idOf(frameAt(stacks, frame));

  const births = new Set(frames.flatMap((frame, id) => (isBirth(frame) ? [id] : [])));

  function walk(stack: number): Int32Array {
    const { prefix, frame } = stacks;
    let depth = 0;
    for (let at = stack; at >= 0; at = prefix[at]) depth++;
    const path = new Int32Array(depth);
    for (let at = stack; at >= 0; at = prefix[at]) path[--depth] = ofFrame[frame[at]];
    return births.size === 0 ? path : sinceBirth(path, births);
  }

  return {
    frames,
    ofFrame,
    named(id) {
      const frame = frames[id];
      if (frame === undefined) throw new RangeError(`there is no function ${id}`);
      const known = named[id] ?? namedFrame(frame);
      named[id] = known;
      return known;
    },
    pathOf(stack) {
      if (stack < 0 || stack >= stacks.length) return NO_FRAMES;
      const path = paths[stack] ?? walk(stack);
      paths[stack] = path;
      return path;
    },
    find: (symbol, file) =>
      (bySymbol.get(symbol) ?? []).filter(
        (id) => file === undefined || (frames[id]?.file ?? '') === file,
      ),
  };
}

/** What Python's multiprocessing runs a new process in. */
const isBirth = ({ symbol, file = '' }: Frame) =>
  /(^|\.)_bootstrap$/.test(symbol) && /multiprocessing[\\/]process\.py$/.test(file);

function sinceBirth(path: Int32Array, births: ReadonlySet<number>): Int32Array {
  const at = path.findLastIndex((id) => births.has(id));
  return at <= 0 ? path : path.slice(at);
}
