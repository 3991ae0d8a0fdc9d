import type { NamedFrame } from '../../shared/answers/flame.ts';
import type { Frame, Trace } from '../../shared/model/trace.ts';
import { perStacks } from '../index/per-trace.ts';
import { namedFrame, withoutOffset } from '../stacks/frame-names.ts';

/** A stack's functions, outermost first, and the line each was executing (0 = not known). */
interface StackPath {
  /** Indexes into FlameFunctions.frames. */
  readonly functions: Int32Array;
  readonly lines: Int32Array;
}

/** The functions of a trace: frames that differ in their line or in an offset only are one. */
export interface FlameFunctions {
  /** One frame for each function, without line or offset. */
  readonly frames: readonly Frame[];
  /** A function as it is shown. */
  named(id: number): NamedFrame;
  /** The path of a stack; empty where there is none of that number. */
  pathOf(stack: number): StackPath;
  /** The functions with that symbol, in `file` where given: '' = in none. */
  find(symbol: string, file: string | undefined): number[];
}

const NO_FRAMES: StackPath = { functions: new Int32Array(0), lines: new Int32Array(0) };

/** The functions of `trace`, kept with its stacks: a stack is walked once, however often it is asked for. */
export const flameFunctions = perStacks(createFunctions);

function createFunctions(stacks: Trace['stacks']): FlameFunctions {
  const frames: Frame[] = [];
  const named: (NamedFrame | undefined)[] = [];
  const bySymbol = new Map<string, number[]>();
  const paths: (StackPath | undefined)[] = new Array(stacks.length);

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

  function walk(stack: readonly Frame[]): StackPath {
    const depth = stack.length;
    const path = { functions: new Int32Array(depth), lines: new Int32Array(depth) };
    stack.forEach((frame, fromLeaf) => {
      path.functions[depth - 1 - fromLeaf] = idOf(frame);
      path.lines[depth - 1 - fromLeaf] = frame.line ?? 0;
    });
    return path;
  }

  return {
    frames,
    named(id) {
      const frame = frames[id];
      if (frame === undefined) throw new RangeError(`there is no function ${id}`);
      const known = named[id] ?? namedFrame(frame);
      named[id] = known;
      return known;
    },
    pathOf(stack) {
      const frames = stacks[stack];
      if (frames === undefined) return NO_FRAMES;
      const path = paths[stack] ?? walk(frames);
      paths[stack] = path;
      return path;
    },
    find: (symbol, file) =>
      (bySymbol.get(symbol) ?? []).filter(
        (id) => file === undefined || (frames[id]?.file ?? '') === file,
      ),
  };
}
