import type { Api } from '../../../src-main/contract/api.ts';
import type {
  ComparedRuns,
  ComparedSeries,
} from '../../../src-main/shared/contract/library-calls.ts';
import { type Investigation, timeOf } from '../../../src-main/shared/library/investigation.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { Task } from '../common/task.svelte.ts';
import type { InvestigationState } from '../investigation/investigation.svelte.ts';
import { FlameComparing } from './flame-comparing.svelte.ts';
import type { Library } from './library.svelte.ts';
import { TimelinesComparing } from './timelines-comparing.svelte.ts';

/** Two runs of the library, by their ids. */
export interface RunPair {
  readonly first: number;
  readonly second: number;
}

/** Runs that are compared on the screen: one pair at a time, or several with the first of them. */
export class RunComparing {
  readonly #api: Api;
  readonly #library: Library;
  readonly #investigation: InvestigationState;
  /** Of a pair, the stacks of both, and the rows that tell of their steps. */
  readonly flame: FlameComparing;
  readonly timelines: TimelinesComparing;
  #pair = $state.raw<RunPair | undefined>();
  #isShown = $state(false);
  #task = $state.raw<Task | undefined>();
  #answer = $state.raw<Result<ComparedRuns> | undefined>();
  /** More than two, in order of time. */
  #several = $state.raw<readonly Investigation[] | undefined>();
  #first = $state<number | undefined>();
  #seriesAnswer = $state.raw<Result<ComparedSeries> | undefined>();

  /** Whose files are there, the one recorded last first; the sample is no run of the user's. */
  readonly choices: readonly Investigation[] = $derived.by(() =>
    (this.#library.entries ?? [])
      .filter(({ state }) => state === 'ok')
      .toSorted(
        (a, b) => Number(a.sample) - Number(b.sample) || timeOf(b).localeCompare(timeOf(a)),
      ),
  );

  constructor(api: Api, library: Library, investigation: InvestigationState) {
    this.#api = api;
    this.flame = new FlameComparing(api);
    this.timelines = new TimelinesComparing(api);
    this.#library = library;
    this.#investigation = investigation;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  get pair(): RunPair | undefined {
    return this.#pair;
  }

  get task(): Task | undefined {
    return this.#task;
  }

  get compared(): ComparedRuns | undefined {
    return this.#answer?.ok ? this.#answer.value : undefined;
  }

  get failure(): Failure | undefined {
    const answer = this.#answer ?? this.#seriesAnswer;
    return answer?.ok === false ? answer.error : undefined;
  }

  /** The runs that are compared where they are more than two, the first with each other. */
  get several(): readonly Investigation[] | undefined {
    return this.#several;
  }

  get series(): ComparedSeries | undefined {
    return this.#seriesAnswer?.ok ? this.#seriesAnswer.value : undefined;
  }

  /**
   * Shows runs, the one recorded earliest first: these, or of one, or of what is open, that and the run most
   * like it. Of more than two the others are compared with `reference`, or with the earliest.
   */
  show(runs: readonly Investigation[] = [], reference?: Investigation): void {
    if (runs.length > 2) {
      void this.#compareAll(runs, reference?.id);
      return;
    }
    const pair = runs.length === 2 ? runs : this.#likely(runs[0]);
    const [first, second] = pair.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)));
    this.#isShown = true;
    if (first === undefined || second === undefined) this.#forget();
    else void this.compare({ first: first.id, second: second.id });
  }

  close(): void {
    this.#isShown = false;
    this.#forget();
  }

  swap(): void {
    const pair = this.#pair;
    if (pair !== undefined) void this.compare({ first: pair.second, second: pair.first });
  }

  async compare(pair: RunPair): Promise<void> {
    this.#forget();
    this.#pair = pair;
    if (pair.first === pair.second) return;
    const task = new Task('Comparing two runs');
    this.#task = task;
    const answer = await this.#api.call('library.compare', { ...pair }, task.options);
    task.end();
    if (this.#task !== task) return;
    this.#task = undefined;
    this.#answer = answer;
  }

  /** With the run that the others are compared with before them. */
  compareWith(first: number): void {
    void this.#compareAll(this.#several ?? [], first);
  }

  /** Which of several the others are compared with. */
  get firstOfSeveral(): number | undefined {
    return this.#first;
  }

  /** `reference`: which of them the others are compared with, else the earliest. */
  async #compareAll(runs: readonly Investigation[], reference?: number): Promise<void> {
    this.#forget();
    this.#isShown = true;
    const several = runs.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)));
    this.#several = several;
    const ids = several.map(({ id }) => id);
    const first = reference === undefined ? 0 : Math.max(0, ids.indexOf(reference));
    this.#first = ids[first];
    const task = new Task(`Comparing ${several.length} runs`);
    this.#task = task;
    const inTurn = [...ids.slice(first, first + 1), ...ids.filter((_, at) => at !== first)];
    const answer = await this.#api.call('library.compareSeries', { ids: inTurn }, task.options);
    task.end();
    if (this.#task !== task) return;
    this.#task = undefined;
    this.#seriesAnswer = answer;
  }

  #forget(): void {
    this.#task?.cancel();
    this.flame.forget();
    this.timelines.forget();
    this.#task = undefined;
    this.#pair = undefined;
    this.#answer = undefined;
    this.#several = undefined;
    this.#seriesAnswer = undefined;
  }

  /** This, else the open one, else that recorded last, and the last other one of its machine, if any, else of all. */
  #likely(chosen: Investigation | undefined): readonly Investigation[] {
    const open = this.#investigation.opened?.investigation;
    const one = chosen ?? this.choices.find(({ id }) => id === open?.id) ?? this.choices[0];
    const others = this.choices.filter(({ id }) => id !== one?.id);
    const isNear = ({ machine }: Investigation) =>
      one?.machine !== undefined && machine === one.machine;
    const other = others.find(isNear) ?? others[0];
    return one === undefined || other === undefined ? [] : [one, other];
  }
}
