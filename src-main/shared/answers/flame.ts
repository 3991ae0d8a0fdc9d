import { z } from 'zod';
import { flameWeights } from '../library/view.ts';
import type { Frame, FrameLanguage } from '../model/stacks.ts';
import type { Role } from '../model/trace.ts';
import { MAX_SYMBOL_LENGTH } from '../text/text.ts';

/**
 * What a flame graph is made of. `time`: stacks in order of time, equal neighbours joined. `heavy`:
 * equal stacks joined, heaviest child first. `callers` and `callees` of one function (`symbol`).
 */
export const flameQuery = z.strictObject({
  weight: z.enum(flameWeights),
  order: z.enum(['time', 'heavy', 'callers', 'callees']),
  symbol: z.string().max(MAX_SYMBOL_LENGTH).optional(),
  /** The file of that function; absent = whatever file it is in, empty = in none. */
  file: z.string().max(4_096).optional(),
  /** Only what happened in [startNs, endNs); events that cross an edge count with their part inside. */
  range: z.strictObject({ startNs: z.number(), endNs: z.number() }).optional(),
  /** Index into threads. */
  thread: z.number().int().nonnegative().optional(),
  /** Whether stacks stand below the role of their thread: with order "heavy" only. */
  byRole: z.boolean().optional(),
  /** Index into hosts: only what threads of it did. */
  host: z.number().int().nonnegative().optional(),
});
export type FlameQuery = z.infer<typeof flameQuery>;

/** A frame as it is shown; `demangled` where the symbol was a mangled C++ or Rust name. */
export interface NamedFrame extends Frame {
  readonly demangled?: string;
}

/**
 * A function of the tree: one symbol in one file, without the offset into it that some recorders add.
 * `lines`: what it was executing wherever it stands in the tree, ascending, the first few. `gpu`: no
 * function, but what the GPU ran for the one above: a kernel, `Copy H2D`. `role`: no function either, but whose
 * stacks are below.
 */
export interface FlameFrame extends Omit<NamedFrame, 'language'> {
  readonly language: FrameLanguage | 'gpu' | 'role';
  readonly lines?: readonly number[];
  /** Of a `role`. */
  readonly role?: Role;
}

/**
 * A tree of frames, roots first: node n's parent stands before it, -1 = a root. All lists have one
 * element a node.
 */
export interface FlameTree {
  readonly weight: FlameQuery['weight'];
  readonly unit: 'ns' | 'bytes' | 'samples';
  readonly frames: readonly FlameFrame[];
  readonly parent: readonly number[];
  /** Index into frames. */
  readonly frame: readonly number[];
  /** Weight of the node with all below it. */
  readonly total: readonly number[];
  /** Weight that ended in the node itself. */
  readonly self: readonly number[];
  /** How many events went through it. */
  readonly count: readonly number[];
  /** Weight of all events with a stack, and of those without: a flame graph hides the latter. */
  readonly totalWeight: number;
  readonly withoutStack: { readonly events: number; readonly weight: number };
  /** Weight of nodes too small to send, where the tree was cut. */
  readonly cutWeight: number;
  /** In order of time: how much weight stands to the left of a moment, ns, of some moments; neither falls. */
  readonly moments?: readonly (readonly [weight: number, ns: number])[];
}
