import type { FlameFrame, FlameTree } from '../../../src-main/shared/answers/flame.ts';
import { clamp } from '../../lib/clamp.ts';
import { findFrames, foldLibraryCode } from '../../lib/flame-functions.ts';
import {
  type FlameLayout,
  type FlameStep,
  heaviestChild,
  layoutFlame,
  stepFrom,
} from '../../lib/flame-layout.ts';

/** Shares of the whole width that are in view. */
export interface FlameWindow {
  readonly left: number;
  readonly right: number;
}

const WHOLE: FlameWindow = { left: 0, right: 1 };
/** Closer than this there is nothing more to see. */
const LEAST_WIDTH = 1e-7;

/** One flame graph on the screen: what is drawn, in view, selected and pointed at. */
export class FlamePane {
  readonly #foldsLibraries: () => boolean;
  readonly #search: () => string;
  readonly #keepsRoot: boolean;
  #tree = $state.raw<FlameTree | undefined>();
  #joinsAll = $state(true);
  #window = $state.raw<FlameWindow>(WHOLE);
  #selected = $state<number | undefined>();
  #hover = $state<number | undefined>();
  readonly tree: FlameTree | undefined = $derived.by(() =>
    this.#tree !== undefined && this.#foldsLibraries()
      ? foldLibraryCode(this.#tree, { joinsAll: this.#joinsAll, keepsRoot: this.#keepsRoot })
      : this.#tree,
  );
  readonly layout: FlameLayout | undefined = $derived.by(() => {
    const { tree } = this;
    if (tree === undefined) return undefined;
    const roots = tree.parent.reduce(
      (sum, above, node) => sum + (above < 0 ? (tree.total[node] ?? 0) : 0),
      0,
    );
    return layoutFlame(tree, roots);
  });
  readonly matches = $derived.by(() =>
    this.tree === undefined ? undefined : findFrames(this.tree, this.#search()),
  );

  /** `keepsRoot`: the root is a function somebody asked for, shown whosever code it is. */
  constructor(foldsLibraries: () => boolean, search: () => string, keepsRoot: boolean) {
    this.#foldsLibraries = foldsLibraries;
    this.#search = search;
    this.#keepsRoot = keepsRoot;
  }

  get window(): FlameWindow {
    return this.#window;
  }

  get isZoomed(): boolean {
    return this.#window.right - this.#window.left < 1;
  }

  get selected(): number | undefined {
    return this.#selected !== undefined && this.#selected < (this.tree?.parent.length ?? 0)
      ? this.#selected
      : undefined;
  }

  get hover(): number | undefined {
    return this.#hover;
  }

  get selectedFrame(): FlameFrame | undefined {
    return this.frameOf(this.selected);
  }

  frameOf(node: number | undefined): FlameFrame | undefined {
    return node === undefined ? undefined : this.tree?.frames[this.tree.frame[node] ?? -1];
  }

  /** Another tree: what was selected and in view is not in it. `joinsAll`: equal stacks are one. */
  show(tree: FlameTree | undefined, joinsAll: boolean): void {
    const before = this.selectedFrame;
    this.#tree = tree;
    this.#joinsAll = joinsAll;
    this.forget();
    if (tree === undefined || before === undefined) return;
    // The same function stays selected, where it is heaviest.
    const nodes = tree.frame.flatMap((frame, node) =>
      isSameFunction(tree.frames[frame], before) ? [node] : [],
    );
    const [first] = nodes.sort((a, b) => (tree.total[b] ?? 0) - (tree.total[a] ?? 0));
    if (!this.#foldsLibraries()) this.#selected = first;
  }

  forget(): void {
    this.#selected = this.#hover = undefined;
    this.#window = WHOLE;
  }

  select(node: number | undefined): void {
    this.#selected = node;
    if (node !== undefined) this.#reveal(node);
  }

  pointAt(node: number | undefined): void {
    this.#hover = node;
  }

  zoomTo(node: number | undefined): void {
    const { layout } = this;
    if (layout === undefined || node === undefined) this.#window = WHOLE;
    else this.look(layout.left[node], layout.right[node]);
  }

  /** Brings [left, right) in view, within the whole. */
  look(left: number, right: number): void {
    const width = clamp(right - left, LEAST_WIDTH, 1);
    const from = clamp(left, 0, 1 - width);
    this.#window = { left: from, right: from + width };
  }

  /** Zooms by `factor` around a place that stays where it is. */
  zoomAround(factor: number, share: number): void {
    const { left, right } = this.#window;
    this.look(share - (share - left) / factor, share + (right - share) / factor);
  }

  pan(share: number): void {
    const { left, right } = this.#window;
    this.look(left + share, right + share);
  }

  step(step: FlameStep): void {
    const { layout, selected } = this;
    if (layout === undefined) return;
    if (selected === undefined) this.select(heaviestChild(layout));
    else this.select(stepFrom(layout, selected, step));
  }

  /** Selects the next match from the top down, behind the last the first again. */
  nextMatch(): void {
    const { layout, matches, selected } = this;
    if (layout === undefined || matches === undefined) return;
    const inOrder = layout.rows.flat();
    const found = inOrder.filter((node) => matches.frames[layout.tree.frame[node] ?? 0] === 1);
    const at = selected === undefined ? -1 : found.indexOf(selected);
    this.select(found[(at + 1) % found.length]);
  }

  /** Moves the view so that a node is in it. */
  #reveal(node: number): void {
    const { layout } = this;
    if (layout === undefined) return;
    const { left, right } = this.#window;
    const [from, to] = [layout.left[node], layout.right[node]];
    if (to <= left || from >= right)
      this.look((from + to - (right - left)) / 2, (from + to + (right - left)) / 2);
  }
}

export function isSameFunction(a: FlameFrame | undefined, b: FlameFrame | undefined): boolean {
  return a?.symbol === b?.symbol && a?.file === b?.file;
}
