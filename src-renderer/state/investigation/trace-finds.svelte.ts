import type { Api } from '../../../src-main/contract/api.ts';
import type { FlameFrame } from '../../../src-main/shared/answers/flame.ts';
import type { FlameWeight } from '../../../src-main/shared/library/view.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { whyWithout } from '../../../src-main/shared/words/flame-weights.ts';
import { filterOfName } from '../../../src-main/timeline/view/track-filter.ts';
import type { InvestigationState } from './investigation.svelte.ts';

/** A thing with a name in the open trace, and how one comes to see it. */
export interface TraceFind {
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  readonly hint: string;
  run(): void;
}

interface FoundFunction {
  readonly frame: FlameFrame;
  readonly weight: FlameWeight;
}

/** Stacks that functions are looked for in; where one is in several, the first is shown. */
const SEARCHED: readonly FlameWeight[] = ['cpu-samples', 'off-cpu-time', 'cuda-time'];

/** The names in the open trace: functions of its stacks, its CUDA operations, the rows of its timeline. */
export class TraceFinds {
  readonly #api: Api;
  readonly #investigation: InvestigationState;
  #functions = $state.raw<readonly FoundFunction[]>([]);
  #operations = $state.raw<readonly string[]>([]);
  #busy = $state(false);
  /** Trace that the names are of, or will be. */
  #asked = $state<string | undefined>();

  readonly all: readonly TraceFind[] = $derived.by(() => [
    ...(this.#isAsked ? this.#functions : []).map((found) => this.#functionFind(found)),
    ...(this.#isAsked ? this.#operations : []).map((name) => this.#operationFind(name)),
    ...this.#rows(),
  ]);

  constructor(api: Api, investigation: InvestigationState) {
    this.#api = api;
    this.#investigation = investigation;
  }

  get #isAsked(): boolean {
    return this.#asked === this.#investigation.data?.traceId;
  }

  /** Whether names are still to come. */
  get busy(): boolean {
    return this.#busy && this.#isAsked;
  }

  /** Asks for the names of the open trace, once. */
  async load(): Promise<void> {
    const { data } = this.#investigation;
    if (data === undefined || this.#isAsked) return;
    const { traceId, summary } = data;
    this.#asked = traceId;
    this.#functions = [];
    this.#operations = [];
    this.#busy = true;
    const weights = SEARCHED.filter((weight) => whyWithout(summary, weight) === undefined);
    const [operations, ...trees] = await Promise.all([
      this.#api.call('trace.operations', { traceId, bySize: false }),
      ...weights.map((weight) =>
        this.#api.call('trace.flame', { traceId, query: { weight, order: 'heavy' } }),
      ),
    ]);
    if (traceId !== this.#asked) return;
    this.#busy = false;
    if (operations.ok) this.#operations = [...new Set(operations.value.map(({ name }) => name))];
    const functions = new Map<string, FoundFunction>();
    trees.forEach((tree, at) => {
      for (const frame of tree.ok ? tree.value.frames : []) {
        const key = `${frame.symbol} ${frame.file ?? ''}`;
        if (!functions.has(key)) functions.set(key, { frame, weight: weights[at] });
      }
    });
    this.#functions = [...functions.values()];
  }

  /** What leads to the searches of the tabs, whatever is typed: none where no trace is open. */
  searchesFor(query: string): readonly TraceFind[] {
    const investigation = this.#investigation;
    const text = query.trim();
    const summary = investigation.data?.summary;
    if (text === '' || summary === undefined) return [];
    const weight = SEARCHED.find((each) => whyWithout(summary, each) === undefined);
    const search = { hint: '', kind: 'Search' };
    return [
      ...(weight === undefined
        ? []
        : [
            {
              ...{ ...search, key: 'search-flame' },
              title: `Search the flame graph for “${text}”`,
              run: () => showInFlame(investigation, text, weight),
            },
          ]),
      {
        ...{ ...search, key: 'search-timeline' },
        title: `Search the events of the timeline for “${text}”`,
        run: () => void showEvents(investigation, text),
      },
    ];
  }

  #functionFind({ frame, weight }: FoundFunction): TraceFind {
    const { symbol, demangled, file = '' } = frame;
    return {
      key: `function-${symbol} ${file}`,
      title: cleanText(demangled ?? symbol),
      kind: 'Function',
      hint: cleanText(file.split(/[\\/]/).at(-1) ?? ''),
      run: () => showInFlame(this.#investigation, symbol, weight),
    };
  }

  #operationFind(name: string): TraceFind {
    return {
      ...{ key: `operation-${name}`, title: cleanText(name), kind: 'Operation', hint: '' },
      run: () => void showEvents(this.#investigation, name),
    };
  }

  #rows(): TraceFind[] {
    const investigation = this.#investigation;
    return (investigation.timeline?.groups ?? []).flatMap(({ label, tracks }) =>
      tracks.map((track) => ({
        key: `row-${track.id}`,
        title: cleanText(`${track.label} ${track.detail}`.trim()),
        kind: 'Timeline',
        hint: cleanText(label),
        run: () => {
          investigation.showTab('timeline');
          investigation.timeline?.tracks.reveal(track);
        },
      })),
    );
  }
}

/** All stacks with that name, of the whole trace. */
function showInFlame(investigation: InvestigationState, name: string, weight: FlameWeight): void {
  const { flame, selection } = investigation;
  selection.selectRange(undefined);
  flame.chooseThread(undefined);
  flame.chooseWeight(weight);
  flame.search = name;
  investigation.showTab('flame');
}

/** The rows with events of that name, and these alone. Until the kinds have names, a filter finds none. */
async function showEvents(investigation: InvestigationState, name: string): Promise<void> {
  const { timeline } = investigation;
  if (timeline === undefined) return;
  investigation.showTab('timeline');
  await timeline.source.knowKinds();
  timeline.tracks.filterText = filterOfName(name);
}
