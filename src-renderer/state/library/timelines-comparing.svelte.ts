import type { Api } from '../../../src-main/contract/api.ts';
import type { RunBegins, StepSeriesPair } from '../../../src-main/shared/answers/comparison.ts';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { withJudged } from '../../../src-main/timeline/build/build-tracks.ts';
import { stepsOfRanks } from '../../../src-main/timeline/build/step-tracks.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import { clamp } from '../../lib/clamp.ts';
import { Task } from '../common/task.svelte.ts';
import { ChainState } from '../investigation/chain.svelte.ts';
import { focusTracks } from '../investigation/focus-tracks.ts';
import { RowLookup } from '../investigation/row-lookup.svelte.ts';
import { Selection } from '../timeline/selection.svelte.ts';
import { TimelineState } from '../timeline/timeline.svelte.ts';
import { TimelineSource } from '../timeline/timeline-source.svelte.ts';
import { SharedViewport, Viewport } from '../timeline/viewport.svelte.ts';

const whichRuns = ['first', 'second'] as const;
export type WhichRun = (typeof whichRuns)[number];

/** The rows of one run that tell of its steps. */
export interface ComparedTimeline {
  readonly which: WhichRun;
  readonly timeline: TimelineState;
  /** All that single rows of it hold. */
  readonly rows: RowLookup;
  /** No wait chain is drawn on it. */
  readonly chain: ChainState;
}

/** What of a run is asked for: its tracks, and where its steps are. */
interface LoadedRun {
  readonly data: TraceView;
  readonly source: TimelineSource;
  readonly diagnosis: Diagnosis;
}

/** So many rows are shown of a run in which nobody trains. */
const FIRST_ROWS = 8;

function leastCommonMultiple(one: number, other: number): number {
  let multiple = one;
  while (multiple % other !== 0) multiple += one;
  return multiple;
}

/** By what two runs are in line: one compared step of each, or the first CUDA call. */
type InLine = 'step' | 'first-call';

/** Where each of two runs can be brought in line with the other. */
export interface InLineAt {
  /** Absent where a run has no steps to compare. */
  readonly steps: StepSeriesPair | undefined;
  readonly begins: RunBegins;
}

/** The timelines of two compared runs, one above the other: zoomed and moved together, with one step or the first call of each in line. */
export class TimelinesComparing {
  readonly #api: Api;
  #steps = $state.raw<StepSeriesPair | undefined>();
  #begins = $state.raw<RunBegins | undefined>();
  #by = $state<InLine>('step');
  #runs = $state.raw<readonly ComparedTimeline[] | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #task = $state.raw<Task | undefined>();
  /** Open as long as both are shown, or on their way. */
  #traceIds: readonly string[] = [];
  /** Which compared step of both is in line, from 0. Of long runs a value of the series is of several. */
  #at = $state(0);
  #axis = $state.raw(new Viewport(1));

  constructor(api: Api) {
    this.#api = api;
  }

  get task(): Task | undefined {
    return this.#task;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** The first run, then the second, once both are here. */
  get runs(): readonly ComparedTimeline[] | undefined {
    return this.#runs;
  }

  /** By what both are in line. */
  get by(): InLine {
    return this.#by;
  }

  /** How many steps can be in line: both runs have them. */
  get count(): number {
    if (this.#steps === undefined) return 0;
    const counts = whichRuns.map((which) => {
      const { startsNs = [], groupSize = 1 } = this.#steps?.[which] ?? {};
      return startsNs.length * groupSize;
    });
    return Math.min(...counts);
  }

  /** Whether there is a step that can be in line before this one (−1), or after it (1). */
  canStep(by: 1 | -1): boolean {
    if (this.#by !== 'step') return false;
    const next = this.#at + by * this.#stride;
    return next >= 0 && next < this.count;
  }

  /** Brings the next step of both in line, or the one before: of long runs the next that both have a value of. */
  step(by: 1 | -1): void {
    if (this.canStep(by)) this.align(this.#at + by * this.#stride);
  }

  /** From one step at which a value of both begins to the next. */
  get #stride(): number {
    const [one, other] = whichRuns.map((which) => this.#steps?.[which].groupSize ?? 1);
    return leastCommonMultiple(one ?? 1, other ?? 1);
  }

  get axis(): Viewport {
    return this.#axis;
  }

  /** The number of the step of a run that is in line, from 1 as the trace counts. */
  numberOf(which: WhichRun): number {
    const series = this.#steps?.[which];
    return series === undefined ? 0 : series.before + this.#valueOf(which) * series.groupSize + 1;
  }

  /** Loads both runs, and shows them with their first compared steps in line, else with their first CUDA calls. */
  async load(pair: Readonly<Record<WhichRun, number>>, { steps, begins }: InLineAt): Promise<void> {
    this.forget();
    const task = new Task('Opening both timelines');
    this.#task = task;
    const loaded: LoadedRun[] = [];
    for (const which of whichRuns) {
      const run = await this.#loadRun(pair[which], task);
      if (this.#task !== task) return;
      if (!run.ok) {
        this.forget();
        this.#failure = run.error.code === 'cancelled' ? undefined : run.error;
        return;
      }
      loaded.push(run.value);
    }
    task.end();
    this.#task = undefined;
    this.#steps = steps;
    this.#begins = begins;
    this.#by = steps === undefined ? 'first-call' : 'step';
    this.#runs = whichRuns.flatMap((which, at) => this.#timelineOf(which, loaded[at]));
    this.#align(0);
    this.#axis.showAll();
  }

  /** Brings the first CUDA calls of both in line, and shows all of both. */
  alignFirstCalls(): void {
    this.#by = 'first-call';
    this.#align(0);
    this.#axis.showAll();
  }

  /** Brings the compared step `at` of both in line, and shows it. */
  align(at: number): void {
    if (this.#steps === undefined) return;
    this.#by = 'step';
    const inBoth = clamp(at, 0, Math.max(0, this.count - 1));
    this.#align(inBoth - (inBoth % this.#stride));
    const [from, to] = [this.#offsetOf('first'), this.#offsetOf('second')];
    const first = this.#stepOf('first');
    const second = this.#stepOf('second');
    this.#axis.fit(
      Math.min(first.startNs - from, second.startNs - to),
      Math.max(first.endNs - from, second.endNs - to),
    );
  }

  /** Leaves both runs; what is on its way is thrown away. */
  forget(): void {
    this.#task?.cancel();
    this.#task = undefined;
    this.#failure = undefined;
    for (const { timeline } of this.#runs ?? []) timeline.source.close();
    this.#runs = undefined;
    this.#steps = this.#begins = undefined;
    for (const traceId of this.#traceIds) void this.#api.call('trace.close', { traceId });
    this.#traceIds = [];
  }

  async #loadRun(id: number, task: Task): Promise<Result<LoadedRun>> {
    const opened = await this.#api.call('trace.open', { id }, task.options);
    if (!opened.ok) return opened;
    const { traceId, summary } = opened.value;
    if (this.#task !== task) {
      void this.#api.call('trace.close', { traceId });
      return { ok: false, error: { code: 'cancelled', message: '' } };
    }
    this.#traceIds = [...this.#traceIds, traceId];
    const diagnosed = await this.#api.call('trace.diagnose', { traceId }, task.options);
    if (!diagnosed.ok) return diagnosed;
    const source = new TimelineSource(this.#api, traceId, summary.lengthNs);
    await source.load();
    if (source.failure !== undefined) return { ok: false, error: source.failure };
    const steps = stepsOfRanks(diagnosed.value);
    const data = { traceId, summary, steps };
    return { ok: true, value: { data, source, diagnosis: diagnosed.value } };
  }

  #timelineOf(which: WhichRun, run: LoadedRun | undefined): ComparedTimeline[] {
    if (run === undefined) return [];
    const { data, source, diagnosis } = run;
    // Of the same rank as the steps that are compared.
    const { ranks } = diagnosis;
    const compared = this.#begins?.[which].rank;
    const isCompared = ({ rank }: (typeof ranks)[number]) => rank.label === compared;
    const thread = (ranks.find(isCompared) ?? ranks[0])?.rank.mainThread ?? -1;
    const all = withJudged(source.groups, data.steps);
    const telling = focusTracks(all, thread, undefined);
    // Of a plain timeline nothing tells what matters.
    const tracks =
      telling.length > 0 ? telling : all.flatMap((group) => group.tracks).slice(0, FIRST_ROWS);
    const groups = [{ id: which, label: '', detail: '', tracks }];
    const viewport = new SharedViewport(
      data.summary.lengthNs,
      () => this.#axis,
      () => this.#offsetOf(which),
    );
    const timeline = new TimelineState(() => data, new Selection(), {
      source: () => source,
      chosen: () => groups,
      viewport,
    });
    const chain = new ChainState(this.#api, () => undefined);
    return [{ which, timeline, rows: new RowLookup(this.#api), chain }];
  }

  /** The axis has room for all of both, with the compared step `at`, or the first call, of each at one place. */
  #align(at: number): void {
    this.#at = at;
    const before = Math.max(this.#startOf('first'), this.#startOf('second'));
    const after = Math.max(
      ...(this.#runs ?? []).map(
        ({ which, timeline }) => timeline.data.summary.lengthNs - this.#startOf(which),
      ),
    );
    this.#axis = new Viewport(before + after);
  }

  /** The place in the series of a run that holds the step in line. */
  #valueOf(which: WhichRun): number {
    return Math.floor(this.#at / (this.#steps?.[which].groupSize ?? 1));
  }

  #startOf(which: WhichRun): number {
    if (this.#by === 'first-call') return this.#begins?.[which].firstCallNs ?? 0;
    return this.#steps?.[which].startsNs[this.#valueOf(which)] ?? 0;
  }

  /** The compared step in line, in its own trace. */
  #stepOf(which: WhichRun): TimeWindow {
    const startNs = this.#startOf(which);
    const { groupSize = 1, durationsNs = [] } = this.#steps?.[which] ?? {};
    return { startNs, endNs: startNs + (durationsNs[this.#valueOf(which)] ?? 0) * groupSize };
  }

  /** From the axis to the time of a run. */
  #offsetOf(which: WhichRun): number {
    return this.#startOf(which) - Math.max(this.#startOf('first'), this.#startOf('second'));
  }
}
