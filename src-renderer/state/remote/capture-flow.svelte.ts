import { untrack } from 'svelte';
import type { Api } from '../../../src-main/contract/api.ts';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import { programOf } from '../../../src-main/shared/remote/describe-target.ts';
import type { HostTarget } from '../../../src-main/shared/remote/host-target.ts';
import type { RemoteQuestion } from '../../../src-main/shared/remote/questions.ts';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import { isLeftOver, shortWords } from '../../lib/run-words.ts';
import type { ToastKind, Toasts } from '../common/toasts.svelte.ts';
import { Brought, type Destinations } from './brought.svelte.ts';
import { CaptureOptions } from './capture-options.svelte.ts';
import { HostForm } from './host-form.svelte.ts';
import { HostLink } from './host-link.svelte.ts';
import { Hosts } from './hosts.svelte.ts';
import { type RunGroup, readKeptLinks, writeKeptLinks } from './kept-links.ts';
import { isSameTarget, type OtherHost, OtherHosts } from './other-hosts.svelte.ts';
import { PreflightCheck } from './preflight-check.svelte.ts';
import { ProcessList } from './process-list.svelte.ts';
import { RunActions } from './run-actions.svelte.ts';
import { Runs } from './runs.svelte.ts';
import { Starts } from './starts.svelte.ts';
import { WindowLinks } from './window-links.svelte.ts';

export const steps = ['host', 'check', 'capture'] as const;
export type Step = (typeof steps)[number];

/** What the screen of captures leads to. */
interface Around extends Destinations {
  /** Takes whatever else is on the window off it. */
  readonly clearWindow: () => void;
}

/** From choosing a host to the trace in the library: where this window is in it. */
export class CaptureFlow {
  readonly #api: Api;
  readonly #toasts: Toasts;
  readonly #around: Around;
  readonly hosts: Hosts;
  readonly form: HostForm;
  readonly preflight: PreflightCheck;
  readonly processes: ProcessList;
  readonly options = new CaptureOptions();
  readonly others: OtherHosts;
  readonly starts: Starts;
  readonly runs: Runs;
  readonly actions: RunActions;
  readonly #brought: Brought;
  #shown = $state(false);
  #step = $state<Step>('host');
  #runId = $state<string | undefined>();
  readonly #links = new WindowLinks(() => this.others.list.map(({ link }) => link));
  /** What the next capture is to be compared with. */
  #before = $state.raw<Investigation | undefined>();
  /** What is changed for the next capture: the title of a fix. */
  #change = $state.raw<string | undefined>();
  /** Whether its command is as a trace has it: without its environment, and what looked like a secret. */
  #isFromTrace = $state(false);
  /** What the screen said went wrong when it was looked at last. */
  #said: ReadonlySet<string> = new Set();

  constructor(api: Api, toasts: Toasts, around: Around) {
    this.#api = api;
    this.#toasts = toasts;
    this.#around = around;
    this.hosts = new Hosts(api, toasts);
    this.form = new HostForm(api);
    this.preflight = new PreflightCheck(api);
    this.processes = new ProcessList(api);
    this.others = new OtherHosts(api);
    this.runs = new Runs(api);
    this.starts = new Starts(api, {
      options: this.options,
      others: this.others,
      first: () => this.#firstRequest(),
      begun: (run, link) => {
        this.runs.take(run);
        this.#links.follow(run.id, link);
      },
    });
    this.#brought = new Brought(around, toasts, (id) => this.#shown && this.#runId === id);
    this.actions = new RunActions(api, this.runs, toasts, {
      onBrought: (run, investigation) => this.#brought.take(run, investigation),
      onGone: (run) => this.#giveUp(run),
    });
    // Another window may have done it, and what ends is told before it is off the list.
    this.runs.watch((run) => {
      this.#noteBrought(run);
      if (run.phase === 'abandoned') this.#giveUp(run);
    });
    this.runs.whenLoaded((list) => {
      for (const run of list) this.#noteBrought(run);
      const ids = list.map(({ id }) => id);
      for (const id of this.#brought.groups.gone(ids)) this.#giveUp({ id });
    });
  }

  /** Whether it is on the window. */
  get shown(): boolean {
    return this.#shown;
  }

  get step(): Step {
    return this.#step;
  }

  /** The connection that is being made or worked with; of the capture on the screen, where there is one. */
  get link(): HostLink | undefined {
    return this.#runId === undefined ? this.#links.current : this.#links.of(this.#runId);
  }

  /** The id of the capture on the screen. */
  get runId(): string | undefined {
    return this.#runId;
  }

  /** The capture on the screen, once the list of them is here. */
  get run(): Run | undefined {
    return this.runs.find(this.#runId);
  }

  /** What the capture on the screen was started together with, itself among them. */
  get group(): RunGroup | undefined {
    const group = this.#brought.groups.of(this.#runId);
    return group !== undefined && group.runs.length > 1 ? group : undefined;
  }

  /** Those of them that are known here; of a capture by itself, that one. */
  get together(): readonly Run[] {
    const ids = this.group?.runs.map(({ id }) => id) ?? [this.#runId];
    return ids.flatMap((id) => this.runs.find(id) ?? []);
  }

  /** The trace that the next capture is to be compared with. */
  get before(): Investigation | undefined {
    return this.#before;
  }

  /** What is to be known where a capture is repeated, before it begins; a sentence each. */
  get repeatNotes(): readonly string[] {
    const { kind } = this.options.fields;
    return [
      ...(this.#change === undefined ? [] : [`Make the change first: ${this.#change}.`]),
      ...(this.#isFromTrace && kind === 'command'
        ? [
            'The command comes from the trace, without what looked like a secret. The trace keeps no environment: fill in what the command needs.',
          ]
        : []),
    ];
  }

  /** What any connection of this window waits for a person for. */
  get asked(): { readonly link: HostLink; readonly question: RemoteQuestion } | undefined {
    return this.#links.asked;
  }

  /** Takes up the connections this window had before it was reloaded, those that are still there. */
  async restore(): Promise<void> {
    await Promise.all(
      readKeptLinks(this.#around.storage).map(async ({ target, label, host, runs, step }) => {
        const link = new HostLink(this.#api, target, label, host);
        // It says which of the app's windows uses it, too.
        if (!(await link.retry())) return link.drop();
        for (const run of runs) this.#links.follow(run, link);
        // Looking at the host may ask for a password again: not while a capture is followed.
        if (step === undefined || runs.length > 0 || this.#links.current !== undefined) return;
        this.#links.workWith(link);
        this.#step = 'check';
        await this.preflight.run(link.id);
        if (this.#links.current === link && step === 'capture' && this.#step === 'check')
          this.goTo(step);
      }),
    );
  }

  /** What a reload needs to find its connections again; for an effect, which follows them. */
  keep(): void {
    const step = this.#step === 'host' ? undefined : this.#step;
    writeKeptLinks(this.#around.storage, this.#links.toKeep(step));
  }

  /**
   * Keeps what the screen says went wrong among the messages, as it stands there only until something else is
   * tried; for an effect, which follows it.
   */
  keepFailures(): void {
    const wrong = this.#wrong();
    const isSeen = this.#shown;
    const before = this.#said;
    this.#said = new Set(wrong.keys());
    untrack(() => {
      for (const [text, kind] of wrong)
        if (!before.has(text)) this.#toasts.keep(text, kind, isSeen);
    });
  }

  /** The sentences of what is wrong now. */
  #wrong(): ReadonlyMap<string, ToastKind> {
    const { run } = this;
    const failures = [this.hosts, this.link, this.preflight, this.processes, this.runs].map(
      (each) => each?.failure,
    );
    const wrong = new Map<string, ToastKind>();
    for (const failure of [...failures, this.starts.failure])
      if (failure !== undefined) wrong.set(failure.message, 'error');
    for (const { label, failure } of this.others.list)
      if (failure !== undefined) wrong.set(`${shortWords(label)}: ${failure.message}`, 'error');
    for (const each of this.runs.list) {
      const failure = this.actions.failureOf(each);
      if (failure !== undefined) wrong.set(`${shortWords(each.host)}: ${failure.message}`, 'error');
    }
    if (run?.message !== undefined && run.tone !== 'ok')
      wrong.set(`${shortWords(run.host)}: ${run.message}`, run.tone === 'fail' ? 'error' : 'info');
    return wrong;
  }

  /** Shows the screen: a capture, or where this window was last. */
  show(runId?: string): void {
    this.#around.clearWindow();
    this.#shown = true;
    this.#runId = runId;
  }

  /**
   * Records again what an entry was captured by: the same host and settings, and the same command as far as this
   * window, or else the trace, knows it (`line`). What that brings is compared with the entry. `change`: the fix that is to be tried.
   */
  async again(entry: Investigation, line: string, change?: string): Promise<void> {
    const { origin } = entry;
    if (origin === undefined) return;
    this.#endStart();
    const filledIn = this.#brought.fieldsOf(entry.id);
    if (filledIn === undefined) this.options.takeOrigin(origin, line);
    else this.options.change(filledIn);
    this.show();
    this.#before = entry;
    this.#change = change;
    this.#isFromTrace = filledIn === undefined;
    const link = this.#links.current;
    if (link?.status !== 'connected' || link.label !== origin.label)
      await this.connect(origin.target, origin.label);
    else if (this.canGoTo('capture')) this.goTo('capture');
    // It runs as another process by now.
    if (origin.kind === 'processes')
      this.processes.setFilter(programOf({ name: '', commandLine: line }));
  }

  /** The next capture is one by itself. */
  compareWithNothing(): void {
    this.#before = undefined;
  }

  /** Off the window; connections and captures go on. */
  hide(): void {
    this.#shown = false;
  }

  /** From the capture on the screen to another one: on the same hosts where they are connected. */
  another(): void {
    const { link } = this;
    this.#runId = undefined;
    const isOther = this.others.list.some((host) => host.link === link);
    const wanted = isOther ? this.#links.current : link;
    if (wanted?.status !== 'connected') this.#step = 'host';
    else if (wanted === this.#links.current) this.#step = 'capture';
    else this.#take(wanted);
  }

  /** Signs in, and looks at the host. */
  async connect(target: HostTarget, label: string): Promise<void> {
    this.disconnect();
    if (this.#before?.origin?.label !== label) this.#before = undefined;
    await this.#connectFirst(target, label);
  }

  /** Ends an attempt, or the connection that nothing needs. */
  disconnect(): void {
    this.#endStart();
    for (const host of this.others.list) this.#dropOther(host);
    this.#leaveFirst();
  }

  #leaveFirst(): void {
    const link = this.#links.current;
    this.preflight.clear();
    this.processes.clear();
    this.starts.forgetFailures();
    this.#step = 'host';
    this.#links.workWith(undefined);
    if (link !== undefined && !this.#links.isFollowing(link)) link.end();
  }

  /** Does the last attempt again; the other hosts of a job stay. */
  async reconnect(): Promise<void> {
    const { link, run } = this;
    if (run !== undefined) await this.resume(run);
    else if (link !== undefined) {
      this.#leaveFirst();
      await this.#connectFirst(link.target, link.label);
    }
  }

  async #connectFirst(target: HostTarget, label: string): Promise<void> {
    const link = new HostLink(this.#api, target, label);
    this.#links.workWith(link);
    if ((await link.connect()) && this.#links.current === link) this.#take(link);
  }

  checkAgain(): void {
    const { link } = this;
    if (link?.status === 'connected') void this.preflight.run(link.id);
  }

  /** To a step that can be gone to. */
  goTo(step: Step): void {
    if (!this.canGoTo(step)) return;
    this.starts.forgetFailures();
    this.#step = step;
  }

  canGoTo(step: Step): boolean {
    if (this.#runId !== undefined || this.starts.starting) return false;
    if (step === 'host') return true;
    if (this.#links.current?.status !== 'connected') return false;
    const { value } = this.preflight;
    return step === 'check' || (value !== undefined && value.mode !== 'none');
  }

  /** Adds a host that is captured from together with this one: a known one's name, or a pasted ssh command. */
  addOther(text: string): Promise<boolean> {
    return this.others.add(text, this.hosts.list?.hosts ?? [], this.#hostLinks);
  }

  /** Whether a host is among those that are captured from. */
  isTaken(target: HostTarget): boolean {
    return this.#hostLinks.some((link) => isSameTarget(link.target, target));
  }

  get #hostLinks(): readonly HostLink[] {
    const first = this.#links.current === undefined ? [] : [this.#links.current];
    return [...first, ...this.others.list.map(({ link }) => link)];
  }

  /** Takes one off; where all that are left record, that is gone on with. */
  removeOther(host: OtherHost): void {
    this.#dropOther(host);
    if (this.starts.isWhole) this.goOn();
  }

  #dropOther(host: OtherHost): void {
    this.others.remove(host, (link) => this.#links.isFollowing(link));
  }

  /** Does again what did not work on another host; what it records already is followed by the new connection. */
  async tryOther(host: OtherHost): Promise<void> {
    const run = this.starts.runOf(host);
    await host.again();
    if (run === undefined || host.link.status !== 'connected') return;
    this.#links.follow(run, host.link);
    const attached = await this.#api.call('remote.attach', { connection: host.link.id, run });
    if (attached.ok) this.runs.take(attached.value);
    else this.#toasts.error(attached.error.message);
  }

  /** Starts what the options say, on all hosts at once; shows it where it began on all. */
  async start(): Promise<void> {
    if (this.#runId !== undefined) return;
    await this.starts.start();
    this.#expectBegun();
    if (this.starts.isWhole) this.goOn();
  }

  /** Goes on with the captures that began, without the hosts where it did not. */
  goOn(): void {
    const [first] = this.starts.inOrder;
    this.#endStart();
    if (first !== undefined) this.#runId = first.run;
  }

  /** Those that began belong together, the first host's first; kept, as the window may be reloaded now. */
  #expectBegun(): void {
    const { inOrder } = this.starts;
    if (inOrder.length > 0) this.#brought.expect(inOrder, this.#before?.id);
  }

  #endStart(): void {
    if (this.starts.count > 0) this.#before = undefined;
    this.starts.end();
  }

  #firstRequest() {
    const link = this.#links.current;
    const allowed = this.preflight.value?.mode;
    if (link === undefined || allowed === undefined) return undefined;
    const pids = this.processes.chosen.map(({ pid }) => pid);
    return { link, request: this.options.request(pids, allowed) };
  }

  /** A capture will bring nothing: one that was started with it takes its place on the screen. */
  #giveUp({ id }: Pick<Run, 'id'>): void {
    const next = this.#brought.groups.of(id)?.runs.find((run) => run.id !== id)?.id;
    if (this.#runId === id && this.#shown && next !== undefined) this.#runId = next;
    this.starts.giveUp(id);
    this.#brought.giveUp(id);
  }

  #noteBrought({ id, investigation }: Run): void {
    if (investigation !== undefined) this.#brought.groups.bring(id, investigation);
  }

  /** Stops the capture on the screen, with those that were started together with it, and brings all back. */
  async stopTogether(): Promise<void> {
    await Promise.all(
      this.together.map(async (run) => {
        if (run.phase === 'recording') await this.actions.stop(run);
        else if (run.phase === 'recorded') await this.actions.bringBack(run);
      }),
    );
  }

  /** Brings back what has ended of it. */
  async bringTogether(): Promise<void> {
    const ended = this.together.filter(({ phase }) => phase === 'recorded');
    await Promise.all(ended.map((run) => this.actions.bringBack(run)));
  }

  /** Makes one investigation of what was started together with the capture on the screen. */
  async openTogether(): Promise<void> {
    const { group } = this;
    if (group !== undefined) await this.#brought.openTogether(group);
  }

  /** Connects to the host of a capture again, and takes it up; of one that was brought back, cleans up. */
  async resume(run: Run): Promise<void> {
    this.show(run.id);
    const asked = await this.#api.call('remote.runTarget', { run: run.id });
    if (!asked.ok) {
      this.#toasts.error(asked.error.message);
      return;
    }
    this.#links.of(run.id)?.end();
    const link = new HostLink(this.#api, asked.value.target, asked.value.label);
    this.#links.follow(run.id, link);
    if (!(await link.connect())) return;
    if (isLeftOver(run)) return this.actions.cleanUp(link.id, run.host);
    const attached = await this.#api.call('remote.attach', { connection: link.id, run: run.id });
    if (attached.ok) this.runs.take(attached.value);
    else this.#toasts.error(attached.error.message);
  }

  /** Gives the attempt to reach a capture's host up; the capture goes on. */
  stopFollowing(): void {
    const { run, link } = this;
    if (run === undefined || link === undefined) return;
    link.end();
    this.#links.unfollow(run.id);
  }

  /** Looks at a host that is signed in to. */
  #take(link: HostLink): void {
    if (link !== this.#links.current) this.disconnect();
    this.#links.workWith(link);
    this.#step = 'check';
    void this.preflight.run(link.id);
  }
}
