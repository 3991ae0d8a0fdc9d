import type { Api } from '../../../src-main/contract/api.ts';
import type { FlameFrame, FlameQuery, FlameTree } from '../../../src-main/shared/answers/flame.ts';
import type { TraceSummary } from '../../../src-main/shared/answers/summary.ts';
import {
  type FlameWeight,
  flameWeights,
  type SavedView,
} from '../../../src-main/shared/library/view.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { whyWithout } from '../../../src-main/shared/words/flame-weights.ts';
import { FOLDED, type FunctionRow, functionRows } from '../../lib/flame-functions.ts';
import type { Selection } from '../timeline/selection.svelte.ts';
import { FlamePane } from './flame-pane.svelte.ts';
import type { FlamePart } from './view.svelte.ts';

type SavedFlame = NonNullable<SavedView['flame']>;
type Order = SavedFlame['order'];

/** One function: a symbol in a file. */
export interface FunctionName {
  readonly symbol: string;
  readonly file: string;
}

interface Opened {
  readonly traceId: string;
  readonly summary: TraceSummary;
}

/** The flame graph of one investigation: what is asked for, what came, and how it is looked at. */
export class FlameState implements FlamePart {
  readonly #api: Api;
  readonly #opened: () => Opened | undefined;
  readonly #selection: Selection;
  readonly main: FlamePane;
  readonly callers: FlamePane;
  readonly callees: FlamePane;
  #weight = $state.raw<FlameWeight | undefined>();
  /** What is shown of a scope that has nothing of the weight that would be: nobody chose that. */
  #instead = $state.raw<{ readonly scope: string; readonly weight: FlameWeight } | undefined>();
  #order = $state.raw<Order>('heavy');
  #function = $state.raw<FunctionName | undefined>();
  #thread = $state<number | undefined>();
  #host = $state<number | undefined>();
  #search = $state('');
  #myCode = $state(false);
  #byRole = $state(true);
  #usesCallers = $state(false);
  #failure = $state.raw<Failure | undefined>();
  #busy = $state(false);
  #loading = new AbortController();
  /** What the trees on the screen, or on their way, were asked for with. */
  #asked = '';

  constructor(api: Api, opened: () => Opened | undefined, selection: Selection) {
    this.#api = api;
    this.#opened = opened;
    this.#selection = selection;
    const pane = (keepsRoot: boolean) =>
      new FlamePane(
        () => this.#myCode,
        () => this.#search,
        keepsRoot,
      );
    this.main = pane(false);
    this.callers = pane(true);
    this.callees = pane(true);
  }

  /** The weight that is asked for first: the chosen one, else where the CPU time went, else, and of a range, the first there is. */
  readonly #usualWeight: FlameWeight = $derived.by(() => {
    const summary = this.#opened()?.summary;
    const has = (weight: FlameWeight) =>
      summary !== undefined && whyWithout(summary, weight) === undefined;
    if (this.#weight !== undefined && has(this.#weight)) return this.#weight;
    // A range is often that of a call: too short for samples.
    const isWhole = this.#selection.range === undefined;
    if (isWhole && has('cpu-samples')) return 'cpu-samples';
    return flameWeights.find(has) ?? 'cuda-time';
  });

  readonly #scope: string = $derived.by(() => {
    const { range } = this.#selection;
    return JSON.stringify([range?.startNs, range?.endNs, this.#thread, this.#host]);
  });

  /** The weight that this scope has nothing of, where another one is shown for that. */
  readonly emptyWeight: FlameWeight | undefined = $derived.by(() => {
    const isInstead = this.#weight === undefined && this.#instead?.scope === this.#scope;
    return isInstead ? this.#usualWeight : undefined;
  });

  /** The weight that is shown. */
  readonly weight: FlameWeight = $derived(
    this.emptyWeight === undefined
      ? this.#usualWeight
      : (this.#instead?.weight ?? this.#usualWeight),
  );

  get order(): Order {
    return this.#order;
  }

  /** The function in the middle of the sandwich. */
  get function(): FunctionName | undefined {
    return this.#function;
  }

  get thread(): number | undefined {
    return this.#thread;
  }

  /** The machine whose threads are shown, where no single one is. */
  get host(): number | undefined {
    return this.#host;
  }

  get search(): string {
    return this.#search;
  }

  set search(text: string) {
    this.#search = text;
  }

  get myCode(): boolean {
    return this.#myCode;
  }

  /** Whether stacks stand below the role of their thread, where the order lets them. */
  get byRole(): boolean {
    return this.#byRole;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** The graph that keys and details are about. */
  get active(): FlamePane {
    if (this.#order !== 'sandwich') return this.main;
    return this.#usesCallers ? this.callers : this.callees;
  }

  activate(pane: FlamePane): void {
    this.#usesCallers = pane === this.callers;
  }

  chooseWeight(weight: FlameWeight): void {
    this.#weight = weight;
  }

  chooseOrder(order: Order): void {
    const { selectedFrame } = this.active;
    const isChosen =
      selectedFrame !== undefined && selectedFrame !== FOLDED && selectedFrame.language !== 'role';
    const frame = isChosen ? selectedFrame : heaviestFunction(this.main.tree);
    this.#order = order;
    if (order === 'sandwich' && this.#function === undefined && frame !== undefined)
      this.#setFunction(frame);
  }

  chooseThread(thread: number | undefined): void {
    this.#thread = thread;
    this.#host = undefined;
  }

  /** All threads of one machine. */
  chooseHost(host: number): void {
    this.#thread = undefined;
    this.#host = host;
  }

  showMyCode(only: boolean): void {
    for (const pane of [this.main, this.callers, this.callees]) pane.forget();
    this.#myCode = only;
  }

  /** Callers above and callees below one function. */
  showFunction(frame: FlameFrame): void {
    if (frame.language === 'role') return;
    this.#setFunction(frame);
    this.#order = 'sandwich';
    this.#usesCallers = false;
  }

  showByRole(wanted: boolean): void {
    for (const pane of [this.main, this.callers, this.callees]) pane.forget();
    this.#byRole = wanted;
  }

  #setFunction({ symbol, file = '' }: FlameFrame): void {
    this.#function = { symbol, file };
  }

  /** What is asked for now; an effect that reads it loads again when it changes. */
  readonly query: FlameQuery | undefined = $derived.by(() => {
    const opened = this.#opened();
    if (opened === undefined || whyWithout(opened.summary, this.weight) !== undefined)
      return undefined;
    const { range } = this.#selection;
    return {
      weight: this.weight,
      order: this.#order === 'time' ? ('time' as const) : ('heavy' as const),
      ...(this.#byRole && this.#order === 'heavy' && { byRole: true }),
      ...(range !== undefined && { range: { startNs: range.startNs, endNs: range.endNs } }),
      ...(this.#thread !== undefined && { thread: this.#thread }),
      ...(this.#host !== undefined && { host: this.#host }),
    };
  });

  /** Asks for the trees; those on the screen stay until the new ones are here. */
  async load(): Promise<void> {
    const { query } = this;
    const traceId = this.#opened()?.traceId;
    if (query === undefined || traceId === undefined) return;
    const middle = this.#order === 'sandwich' ? this.#function : undefined;
    const scope = this.#scope;
    const isInstead = this.emptyWeight !== undefined;
    const asked = JSON.stringify({ traceId, query, middle });
    if (asked === this.#asked && this.#failure === undefined) return;
    this.#asked = asked;
    this.#loading.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#busy = true;
    const ask = (changes: Partial<FlameQuery>) =>
      this.#api.call(
        'trace.flame',
        { traceId, query: { ...query, ...changes } },
        { signal: loading.signal },
      );
    const [main, callers, callees] = await Promise.all([
      ask({}),
      middle && ask({ ...middle, order: 'callers' }),
      middle && ask({ ...middle, order: 'callees' }),
    ]);
    if (loading.signal.aborted) return;
    if (main.ok && isEmpty(main.value) && this.#weight === undefined && !isInstead) {
      const weight = await this.#firstWith((weight) => ask({ weight }));
      if (loading.signal.aborted) return;
      if (weight !== undefined) {
        this.#instead = { scope, weight };
        return this.load();
      }
    }
    this.#busy = false;
    this.#failure = main.ok ? undefined : main.error;
    if (main.ok) this.main.show(main.value, query.order !== 'time');
    // A function may be in none of the stacks of another range: then there is nothing to show of it.
    this.callers.show(treeOf(callers), true);
    this.callees.show(treeOf(callees), true);
    if (this.callees.selected === undefined && this.callees.tree !== undefined)
      this.callees.select(0);
  }

  /** The first weight that there is something of: where the CPUs were tells most of a stretch without calls. */
  async #firstWith(
    ask: (weight: FlameWeight) => Promise<Result<FlameTree>>,
  ): Promise<FlameWeight | undefined> {
    const summary = this.#opened()?.summary;
    const others = new Set<FlameWeight>(['cpu-samples', 'off-cpu-time', ...flameWeights]);
    others.delete(this.weight);
    for (const weight of others) {
      if (summary === undefined || whyWithout(summary, weight) !== undefined) continue;
      const found = await ask(weight);
      if (found.ok && !isEmpty(found.value)) return weight;
    }
    return undefined;
  }

  saved(): SavedFlame | undefined {
    const isFirst =
      this.#weight === undefined && this.#order === 'heavy' && this.#search === '' && this.#byRole;
    if (isFirst) return undefined;
    return {
      weight: this.weight,
      order: this.#order,
      ...(this.#function !== undefined && this.#order === 'sandwich' && this.#function),
      search: this.#search.slice(0, 500),
      ...(!this.#byRole && { byRole: false }),
    };
  }

  restore(saved: SavedFlame | undefined): void {
    this.#weight = saved?.weight;
    this.#instead = undefined;
    this.#order = saved?.order ?? 'heavy';
    this.#search = saved?.search ?? '';
    this.#byRole = saved?.byRole ?? true;
    this.#function =
      saved?.symbol === undefined ? undefined : { symbol: saved.symbol, file: saved.file ?? '' };
  }

  /** Forgets everything of the trace that was on the screen. */
  clear(): void {
    this.#loading.abort();
    this.#asked = '';
    this.#busy = false;
    this.#failure = undefined;
    this.chooseThread(undefined);
    this.#myCode = false;
    for (const pane of [this.main, this.callers, this.callees]) pane.show(undefined, true);
    this.restore(undefined);
  }
}

const isEmpty = ({ parent }: FlameTree): boolean => parent.length === 0;

/** Where the most weight ended: what one looks at first. */
function heaviestFunction(tree: FlameTree | undefined): FlameFrame | undefined {
  if (tree === undefined) return undefined;
  const rows = functionRows(tree).filter(({ frame }) => tree.frames[frame] !== FOLDED);
  const first = rows.reduce<FunctionRow | undefined>(
    (best, row) => (best === undefined || row.self > best.self ? row : best),
    undefined,
  );
  return tree.frames[first?.frame ?? -1];
}

function treeOf(
  result: { readonly ok: true; readonly value: FlameTree } | { readonly ok: false } | undefined,
): FlameTree | undefined {
  return result?.ok === true ? result.value : undefined;
}
