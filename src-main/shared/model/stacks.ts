import { NONE } from './schema.ts';

/** One function that was being executed, and where in it: as it is shown. */
export interface Frame {
  readonly symbol: string;
  readonly file?: string;
  readonly line?: number;
  readonly language: FrameLanguage;
}

export const frameLanguages = ['python', 'native'] as const;
export type FrameLanguage = (typeof frameLanguages)[number];

/** Every frame of a trace once, one array element each. */
interface Frames {
  readonly length: number;
  /** Index into the texts. */
  readonly symbol: Int32Array;
  /** Index into the texts; -1 = not known. */
  readonly file: Int32Array;
  /** Line in the source file; -1 = not known. */
  readonly line: Int32Array;
  /** Index into frameLanguages. */
  readonly language: Uint8Array;
}

/**
 * The call stacks of a trace as a tree: a stack is its innermost frame and the stack of its caller.
 * Equal stacks have one row, and a caller stands before what it called, so that one pass over the
 * rows can build on what it found for the caller. Walk a stack from its leaf outwards with
 * `for (let at = stack; at >= 0; at = prefix[at]) … frame[at]`.
 */
export interface Stacks {
  readonly length: number;
  /** The stack of the caller; -1 = none: the outermost frame. */
  readonly prefix: Int32Array;
  /** Index into the frames. */
  readonly frame: Int32Array;
  readonly frames: Frames;
  /** Symbols and files, each once. */
  readonly texts: readonly string[];
}

const PYTHON = frameLanguages.indexOf('python');

export const symbolOf = ({ frames, texts }: Stacks, frame: number): string =>
  texts[frames.symbol[frame]];

/** '' = not known. */
export const fileOf = ({ frames, texts }: Stacks, frame: number): string =>
  texts[frames.file[frame]] ?? '';

export const isPython = ({ frames }: Stacks, frame: number): boolean =>
  frames.language[frame] === PYTHON;

/** Of a Python function: `save_model` of `Trainer.save_model`, and of `main.<locals>.save_model`. */
export function nameInClass(symbol: string): string {
  return symbol.slice(symbol.lastIndexOf('.', symbol.endsWith('>') ? -1 : undefined) + 1);
}

/** Frame number `frame` as it is shown. */
export function frameAt({ frames, texts }: Stacks, frame: number): Frame {
  const file = texts[frames.file[frame]];
  const line = frames.line[frame];
  return {
    symbol: texts[frames.symbol[frame]],
    ...(file !== undefined && { file }),
    ...(line >= 0 && { line }),
    language: frameLanguages[frames.language[frame]],
  };
}

/** The frames of a stack as they are shown, leaf first; none for -1. */
export function framesOf(stacks: Stacks, stack: number): Frame[] {
  const found: Frame[] = [];
  for (let at = stack; at >= 0; at = stacks.prefix[at])
    found.push(frameAt(stacks, stacks.frame[at]));
  return found;
}

/** The innermost row of `stack` whose frame passes `test`; -1 = none. */
export function findRow(stacks: Stacks, stack: number, test: (frame: number) => boolean): number {
  let at = stack;
  while (at >= 0 && !test(stacks.frame[at])) at = stacks.prefix[at];
  return at;
}

/** A small number for each frame: each is looked at once, however many stacks it is in. */
export function codesOfFrames(stacks: Stacks, codeOf: (frame: Frame) => number): Uint8Array {
  const codes = new Uint8Array(stacks.frames.length);
  for (let frame = 0; frame < codes.length; frame++) codes[frame] = codeOf(frameAt(stacks, frame));
  return codes;
}

/**
 * A number for each stack, written into `into`, from that of its caller (`outermost` where it has none)
 * and its own frame.
 */
export function foldStacks<Numbers extends Int32Array | Uint8Array>(
  { prefix, frame }: Stacks,
  into: Numbers,
  outermost: number,
  step: (caller: number, frame: number, stack: number) => number,
): Numbers {
  for (let stack = 0; stack < into.length; stack++) {
    const caller = prefix[stack];
    into[stack] = step(caller === NONE ? outermost : into[caller], frame[stack], stack);
  }
  return into;
}

/** By stack, what `bitsOf` says of any of its frames: all their bits. */
export function bitsOfStacks(stacks: Stacks, bitsOf: (frame: Frame) => number): Uint8Array {
  const ofFrame = codesOfFrames(stacks, bitsOf);
  const into = new Uint8Array(stacks.length);
  return foldStacks(stacks, into, 0, (caller, frame) => caller | ofFrame[frame]);
}

export const noStacks: Stacks = {
  length: 0,
  prefix: new Int32Array(0),
  frame: new Int32Array(0),
  frames: {
    length: 0,
    symbol: new Int32Array(0),
    file: new Int32Array(0),
    line: new Int32Array(0),
    language: new Uint8Array(0),
  },
  texts: [],
};
