import type { Api } from '../../../src-main/contract/api.ts';
import type { FirstFigures } from '../../../src-main/shared/answers/first-figures.ts';
import type { OpenedTrace } from '../../../src-main/shared/contract/trace-calls.ts';
import type { SetRole } from '../../../src-main/shared/library/set-role.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import { firstTab, type Tab, tabSpec } from '../../../src-main/shared/tabs/tabs.ts';
import { stepsOfRanks } from '../../../src-main/timeline/build/step-tracks.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { Selection } from '../timeline/selection.svelte.ts';
import { TimelineState } from '../timeline/timeline.svelte.ts';
import { TimelineSource } from '../timeline/timeline-source.svelte.ts';
import { type ChainQuestion, ChainState } from './chain.svelte.ts';
import { Confirming } from './confirming.svelte.ts';
import { DiagnosisState } from './diagnosis.svelte.ts';
import { Explanation } from './explanation.svelte.ts';
import { FlameState } from './flame.svelte.ts';
import { FocusState } from './focus.svelte.ts';
import { Marking } from './marking.svelte.ts';
import { Notes } from './notes.svelte.ts';
import { Operations } from './operations.svelte.ts';
import { Processes } from './processes.svelte.ts';
import { RowLookup } from './row-lookup.svelte.ts';
import { SecondOpinionState } from './second-opinion.svelte.ts';
import { StatementState } from './statement.svelte.ts';
import { StretchAsking } from './stretch-asking.svelte.ts';
import { tellingTracks } from './telling-tracks.ts';
import { ViewState } from './view.svelte.ts';
import { Walk } from './walk.svelte.ts';

/** The trace on the screen: what is asked of it, the selection, and what became of its process. */
export class InvestigationState {
  readonly #api: Api;
  readonly #toasts: Toasts;
  readonly selection = new Selection();
  readonly operations: Operations;
  readonly explanation: Explanation;
  readonly rows: RowLookup;
  readonly processes: Processes;
  readonly diagnosis: DiagnosisState;
  readonly confirming: Confirming;
  readonly chain: ChainState;
  readonly asking: StretchAsking;
  readonly flame: FlameState;
  readonly notes: Notes;
  readonly statement: StatementState;
  readonly secondOpinion: SecondOpinionState;
  readonly view: ViewState;
  readonly marking: Marking;
  readonly walk = new Walk();
  readonly focus: FocusState;
  #opened = $state.raw<OpenedTrace | undefined>();
  #data = $state.raw<TraceView | undefined>();
  /** With the steps, once they are known. */
  readonly #judged: TraceView | undefined = $derived.by(() => {
    const { value } = this.diagnosis;
    return this.#data && value ? { ...this.#data, steps: stepsOfRanks(value) } : this.#data;
  });
  #timeline = $state.raw<TimelineState | undefined>();
  #source = $state.raw<TimelineSource | undefined>();
  #lost = $state<string | undefined>();
  #tab = $state<Tab>(firstTab);
  /** Tabs that were on the screen since the trace is. */
  #seen = $state.raw<ReadonlySet<Tab>>(new Set());
  /** Undefined as long as nobody chose in this trace: then it is open while it has something to say, and room. */
  #panelChoice = $state<boolean | undefined>();
  /** Something led to what the panel says: it is shown where it has no room beside the tabs, too. */
  #isLed = $state(false);
  #hasRoom = $state(true);
  #loading = new AbortController();

  constructor(api: Api, toasts = new Toasts()) {
    this.#api = api;
    this.#toasts = toasts;
    this.operations = new Operations(api);
    this.explanation = new Explanation(api);
    this.rows = new RowLookup(api);
    this.processes = new Processes(api);
    this.diagnosis = new DiagnosisState(api);
    this.confirming = new Confirming(api);
    this.chain = new ChainState(api, () => this.explanation.value?.waitChain);
    this.asking = new StretchAsking(this);
    this.flame = new FlameState(api, () => this.#opened, this.selection);
    this.notes = new Notes(api, toasts);
    this.statement = new StatementState(api, () => this.#opened?.traceId);
    this.secondOpinion = new SecondOpinionState(this);
    this.view = new ViewState(api, this, toasts);
    this.marking = new Marking(this, toasts);
    this.focus = new FocusState(api, this);
    api.on('trace.lost', ({ traceId, message }) => {
      if (traceId === this.#opened?.traceId) this.#lost = message;
    });
  }

  get opened(): OpenedTrace | undefined {
    return this.#opened;
  }

  get data(): TraceView | undefined {
    return this.#judged;
  }

  /** The timeline of the trace on the screen, whether it was shown already or not. */
  get timeline(): TimelineState | undefined {
    return this.#timeline;
  }

  /** What its timeline is asked. */
  get source(): TimelineSource | undefined {
    return this.#source;
  }

  /** Whether it is not known yet which tracks there are. */
  get isLoading(): boolean {
    return this.#source !== undefined && !this.#source.isLoaded && this.failure === undefined;
  }

  /** Why events did not come. */
  get failure(): Failure | undefined {
    return this.#source?.failure;
  }

  /** Why nothing more can be asked of this trace; what is on the screen stays. */
  get lost(): string | undefined {
    return this.#lost;
  }

  get tab(): Tab {
    return this.#tab;
  }

  /** Whether the "Why slow" panel is shown. */
  get panelOpen(): boolean {
    return this.#panelChoice ?? ((this.#hasRoom || this.#isLed) && this.#tellsSomething);
  }

  /**
   * Whether the panel has more to say than how to make it say something. On the timeline it keeps its place: opened by a
   * click there, it would move the next one, of a double click, to another moment.
   */
  get #tellsSomething(): boolean {
    const { chain, diagnosis, explanation, focus, selection, timeline, tab } = this;
    const isSelected = selection.event !== undefined || timeline?.workedOut !== undefined;
    const isExplained =
      explanation.value !== undefined || explanation.failure !== undefined || explanation.busy;
    // Of a trace without calls it says why.
    const hasNoCalls = this.#source?.isLoaded === true && this.#source.slowest === undefined;
    // While the answer is awaited its place is kept: the page would grow narrow under the reader.
    const isAwaited = diagnosis.busy && diagnosis.isAwaited;
    const isOverview =
      tab === 'overview' && (isAwaited || focus.stretch?.isWait === true || hasNoCalls);
    const isThere = tab === 'timeline' || isOverview;
    return isThere || isSelected || chain.asked !== undefined || isExplained;
  }

  /** Whether the panel has room beside the tabs; else it lies over them. */
  set hasRoomForPanel(hasRoom: boolean) {
    this.#hasRoom = hasRoom;
  }

  showPanel(open: boolean): void {
    this.#panelChoice = open;
    this.#isLed = false;
  }

  /** Shows what the panel says of what was just chosen; it still hides by itself once it has nothing to say. */
  leadToPanel(): void {
    if (this.#panelChoice === false) this.#panelChoice = undefined;
    this.#isLed = true;
  }

  /** Whether the component of a tab exists now; one that is built once keeps its view afterwards. */
  isMounted(tab: Tab): boolean {
    const { mounted } = tabSpec(tab);
    return (
      mounted === 'always' || tab === this.#tab || (mounted === 'once-shown' && this.#seen.has(tab))
    );
  }

  showTab(tab: Tab): void {
    if (tab !== this.#tab) this.#toasts.leaveTab();
    this.#tab = tab;
    this.#seen = new Set([...this.#seen, tab]);
  }

  /** Selects a CUDA call, so that the panel explains it; on the timeline where asked. */
  selectCall(row: number, tab: Tab = this.#tab): void {
    const event = { table: 'cuda_call', row } as const;
    if (tab === 'timeline') this.selection.showEvent(event);
    else this.selection.selectEvent(event);
    this.showTab(tab);
    this.leadToPanel();
  }

  /** Shows in the panel, and on the timeline, what a thread waited for in a stretch of time. */
  askChain(question: ChainQuestion): void {
    this.leadToPanel();
    this.asking.ask(question);
  }

  /**
   * Puts an opened trace on the screen, as `linked` shows it or as it was left. Opened again, the
   * view stays: rows keep their numbers. `first`: what was shown of it while it was read.
   */
  show(opened: OpenedTrace, linked?: SavedView, first?: FirstFigures): Promise<void> {
    const again = opened.investigation.id === this.#opened?.investigation.id;
    this.view.save();
    this.#release();
    if (!again) this.#forget();
    this.#opened = opened;
    const data = { traceId: opened.traceId, summary: opened.summary };
    this.#data = data;
    const source = new TimelineSource(this.#api, opened.traceId, data.summary.lengthNs);
    this.#source = source;
    if (!again || this.#timeline?.viewport.lengthNs !== data.summary.lengthNs) {
      this.#timeline = new TimelineState(() => this.#judged ?? data, this.selection, {
        source: () => this.#source ?? source,
        telling: (groups) => tellingTracks(groups, this),
      });
      this.focus.open(
        () => this.#judged ?? data,
        () => this.#source ?? source,
      );
    }
    void this.notes.open(opened.investigation.id);
    if (!again) this.view.begin(linked);
    else if (linked !== undefined) this.view.follow(linked);
    this.operations.begin(first);
    return this.#loadInTurn(opened, first !== undefined);
  }

  /** The user says what a process is, or takes it back: the trace is the same, seen with that role. */
  async setRole(process: number, role: SetRole['role'] | null): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    const { traceId, investigation } = opened;
    const args = { traceId, id: investigation.id, process, role };
    const changed = await this.#api.call('trace.setRole', args);
    if (this.#opened?.traceId !== traceId) return;
    if (!changed.ok) {
      this.#toasts.show(changed.error.message);
      return;
    }
    this.#opened = { ...this.#opened, summary: changed.value };
    if (this.#data !== undefined) this.#data = { ...this.#data, summary: changed.value };
    this.statement.forgetAnswer();
    // Tracks are grouped by role, and numbered anew.
    const source = new TimelineSource(this.#api, traceId, changed.value.lengthNs);
    await source.load();
    if (this.#opened?.traceId !== traceId) return;
    this.#source?.close();
    this.#source = source;
  }

  /** Asks something of the open trace, so that a host that lost this page knows it is read again. */
  reclaim(): void {
    const traceId = this.#opened?.traceId;
    if (traceId !== undefined) void this.operations.load(traceId);
    this.#source?.retry();
    void this.notes.reload();
  }

  /** Back to the library. */
  close(): void {
    this.view.save();
    this.#release();
    this.#forget();
  }

  #release(): void {
    this.#loading.abort();
    this.#source?.close();
    const traceId = this.#opened?.traceId;
    if (traceId !== undefined && this.#lost === undefined)
      void this.#api.call('trace.close', { traceId });
    this.#lost = undefined;
  }

  #forget(): void {
    this.#opened = undefined;
    this.#data = undefined;
    this.#timeline = undefined;
    this.#source = undefined;
    this.#tab = firstTab;
    this.#toasts.leaveTab();
    this.#seen = new Set();
    // Neither is of the next trace: it may have nothing to say, or no room to lie over.
    this.#panelChoice = undefined;
    this.#isLed = false;
    this.selection.selectEvent(undefined);
    this.selection.selectRange(undefined);
    this.operations.clear();
    this.explanation.clear();
    this.processes.clear();
    this.diagnosis.clear();
    this.confirming.clear();
    this.chain.close();
    this.walk.close();
    this.secondOpinion.close();
    this.focus.clear();
    this.flame.clear();
    this.statement.clear();
    void this.notes.open(undefined);
    this.marking.close();
    this.marking.list.showAll();
  }

  /** The first figures first, unless there are some: of a large trace all that is asked for beside them takes their CPUs. */
  async #loadInTurn(opened: OpenedTrace, hasFirst: boolean): Promise<void> {
    const loading = new AbortController();
    this.#loading = loading;
    const counted = this.operations.load(opened.traceId);
    void this.diagnosis.load(opened.traceId, counted);
    if (!hasFirst) await counted;
    if (!loading.signal.aborted) await this.#source?.load();
  }
}
