import type { Api } from '../../../src-main/contract/api.ts';
import type { BesideFile } from '../../../src-main/shared/answers/beside-file.ts';
import type { FirstFigures } from '../../../src-main/shared/answers/first-figures.ts';
import type { Launch } from '../../../src-main/shared/contract/app-calls.ts';
import { naturally } from '../../../src-main/shared/library/files-of-folder.ts';
import type {
  AddedInvestigation,
  Investigation,
} from '../../../src-main/shared/library/investigation.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { ok } from '../../../src-main/shared/rpc/result.ts';
import type { CallOptions } from '../../../src-main/shared/rpc/rpc.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { addedWords } from '../../../src-main/shared/words/added-words.ts';
import { Task } from '../common/task.svelte.ts';
import type { ToastAction, Toasts } from '../common/toasts.svelte.ts';
import type { InvestigationState } from './investigation.svelte.ts';
import { readBeside } from './read-beside.ts';

/** A trace that is in the library now, what goes beside one, or a change of mind. */
type Found = AddedInvestigation | BesideFile | null;
type Find = (options: CallOptions) => Promise<Result<Found>>;

/** What is made of a trace that is in the library now, while its task still goes on. */
type GoOn<T> = (task: Task, added: AddedInvestigation) => Promise<T>;

/** A file that may be opened. */
interface Source {
  /** What goes beside a trace, where the file says that it is that. */
  readonly beside: (options: CallOptions) => Promise<Result<BesideFile> | undefined>;
  /** Adds the trace that it is else. */
  readonly add: Find;
}

/** Where what is opened goes that is no trace. */
interface Elsewhere {
  /** Opens the view that the fragment of a link names. */
  readonly followLink: (hash: string) => Promise<void>;
  /** Shows what goes beside a trace, or says why it can't be shown. */
  readonly showBeside: (file: BesideFile) => Failure | undefined;
  /** Shows what became of the earliest of these in the others. */
  readonly compare: (runs: readonly Investigation[]) => void;
}

/**
 * Opens a trace from wherever it comes, one at a time: what was on the screen is there again where it can't be read, or is
 * cancelled.
 */
export class Opener {
  readonly #api: Api;
  readonly #investigation: InvestigationState;
  readonly #toasts: Toasts;
  #task = $state.raw<Task | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #missing = $state.raw<Investigation | undefined>();
  readonly #elsewhere: Elsewhere;
  /** Over when nothing is being opened or added. */
  #finding: Promise<unknown> = Promise.resolve();
  #isLaunching = false;
  #launchAsked = false;

  constructor(api: Api, investigation: InvestigationState, toasts: Toasts, elsewhere: Elsewhere) {
    this.#api = api;
    this.#investigation = investigation;
    this.#toasts = toasts;
    this.#elsewhere = elsewhere;
  }

  get task(): Task | undefined {
    return this.#task;
  }

  /** What is known of the trace that is being opened, where it is a large one. */
  get firstFigures(): FirstFigures | undefined {
    // Adding and opening tell nothing else, and only of a trace that is being read.
    return this.#task?.soFar as FirstFigures | undefined;
  }

  /** Why the last attempt failed, until dismissed or tried again. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** The entry that could not be opened because its file is elsewhere. */
  get missing(): Investigation | undefined {
    return this.#missing;
  }

  /** The file of an entry was found: that it was missing is no longer true. */
  located({ id }: Investigation): void {
    if (this.#missing?.id === id) this.dismissFailure();
  }

  /** Opens an entry of the library as it was left, or as the view of a link shows it. */
  openEntry(entry: Investigation, linked?: SavedView): Promise<void> {
    const none = { wasKnown: false, notesAdded: 0, bookmarksAdded: 0 };
    const found = { investigation: entry, ...none };
    return this.#open(`Opening ${entry.name}`, async () => ok(found), linked);
  }

  /** Makes one trace of those of several ranks or machines, rank 2 before rank 10, and opens it. */
  openAsOne(entries: readonly Investigation[]): Promise<void> {
    return this.openInOrder(entries.toSorted((a, b) => naturally(a.name, b.name)));
  }

  /** The same in the order they are given in: the clock of the first is that of all. */
  openInOrder(entries: readonly Pick<Investigation, 'id'>[]): Promise<void> {
    const sources = entries.map(({ id }) => id);
    return this.#open(`Making one trace of ${entries.length}`, (options) =>
      this.#api.call('library.merge', { sources }, options),
    );
  }

  openPath(path: string, copy?: boolean): Promise<void> {
    return this.#openTrace(`Opening ${cleanText(path)}`, {
      beside: (options) => this.#besideAt(path, options),
      add: (options) => this.#addPath(path, copy, options),
    });
  }

  /** A dropped or chosen file. */
  openFile(file: File, copy?: boolean): Promise<void> {
    return this.#openTrace(`Opening ${file.name}`, this.#source(file, copy));
  }

  /** Adds a dropped file and leaves the trace on the screen; undefined where it could not be added, or is no trace. */
  addFile(file: File): Promise<Investigation | undefined> {
    return this.#findOrWait(
      `Adding ${file.name}`,
      this.#source(file, undefined),
      async (task, { investigation }) => {
        this.#end(task, undefined);
        return investigation;
      },
    );
  }

  #source(file: File, copy: boolean | undefined): Source {
    return {
      beside: () => readBeside(file),
      add: (options) => this.#api.addFile(file, { ...options, copy }),
    };
  }

  /** Asks with the system's file dialog. What is being opened goes on until a trace is chosen. */
  async choose(copy?: boolean): Promise<void> {
    if (this.#task !== undefined) {
      const chosen = await this.#api.call('library.choosePath', {});
      if (!chosen.ok) this.#toasts.error(chosen.error.message);
      else if (chosen.value !== null) await this.openPath(chosen.value, copy);
      return;
    }
    await this.#open('Waiting for the file dialog', async (options) => {
      const chosen = await this.#api.call('library.choosePath', {}, options);
      if (!chosen.ok) return chosen;
      if (chosen.value === null) return ok(null);
      const beside = await this.#besideAt(chosen.value, options);
      return beside ?? this.#addPath(chosen.value, copy, options);
    });
  }

  /** What goes beside a trace, at a path of the host; undefined of anything else. */
  async #besideAt(
    path: string,
    options: CallOptions = {},
  ): Promise<Result<BesideFile> | undefined> {
    const beside = await this.#api.call('report.beside', { path }, options);
    if (!beside.ok) return beside;
    return beside.value === null ? undefined : ok(beside.value);
  }

  #addPath(path: string, copy: boolean | undefined, options: CallOptions): Promise<Result<Found>> {
    return this.#api.call('library.add', { path, ...(copy !== undefined && { copy }) }, options);
  }

  /**
   * Opens what the app was started with, or asked for from outside. Of several files all are added to the library, one
   * after the other, the first is opened, and a message offers to compare them.
   */
  async openLaunch(): Promise<void> {
    this.#launchAsked = true;
    if (this.#isLaunching) return;
    this.#isLaunching = true;
    while (this.#launchAsked) {
      this.#launchAsked = false;
      await this.#openWaiting();
    }
    this.#isLaunching = false;
  }

  async #openWaiting(): Promise<void> {
    const added: Investigation[] = [];
    const beside: string[] = [];
    let only: string | undefined;
    let isSeveral = false;
    let link: string | undefined;
    for (let next = await this.#nextLaunch(); next !== null; next = await this.#nextLaunch()) {
      if (next.kind === 'link') link = next.hash;
      else if ((await this.#besideAt(next.path)) !== undefined) beside.push(next.path);
      else if (only === undefined) only = next.path;
      else {
        if (!isSeveral) added.push(...(await this.#addOnly(only)));
        isSeveral = true;
        added.push(...(await this.#addOnly(next.path)));
      }
    }
    if (link !== undefined) {
      if (only !== undefined && !isSeveral) await this.#addOnly(only);
      await this.#elsewhere.followLink(link);
    } else if (isSeveral) await this.#openFirst(added);
    else if (only !== undefined) await this.openPath(only);
    for (const path of beside) await this.openPath(path);
  }

  /** Of traces that were added together the first, and the others in reach. */
  async #openFirst(added: readonly Investigation[]): Promise<void> {
    const entries = [...new Map(added.map((entry) => [entry.id, entry])).values()];
    const [first] = entries;
    if (first !== undefined) await this.openEntry(first);
    if (entries.length < 2) return;
    const text = `${entries.length} traces are in the library; the first that was named was opened.`;
    const run = () => this.#elsewhere.compare(entries);
    this.#toasts.show(text, { label: 'Compare them', run });
  }

  async #nextLaunch(): Promise<Launch | null> {
    const waiting = await this.#api.call('app.launch', {});
    return waiting.ok ? waiting.value : null;
  }

  /** The entry of a file, none where it could not be added, which is told. */
  async #addOnly(path: string): Promise<readonly Investigation[]> {
    const added = await this.#api.call('library.add', { path });
    if (added.ok) this.#tellWhatWasKnown(added.value);
    else this.#toasts.error(added.error.message);
    return added.ok ? [added.value.investigation] : [];
  }

  /** Leaves at once; the host's answer, when it comes, is thrown away. */
  cancel(): void {
    this.#task?.cancel();
    this.#task = undefined;
  }

  dismissFailure(): void {
    this.#failure = this.#missing = undefined;
  }

  /** What goes beside a trace waits for the one that is being opened; another trace takes its place. */
  async #findOrWait<T>(
    text: string,
    { beside, add }: Source,
    goOn: GoOn<T>,
  ): Promise<T | undefined> {
    if (this.#task === undefined)
      return this.#find(text, async (options) => (await beside(options)) ?? add(options), goOn);
    const found = await beside({});
    if (found === undefined) return this.#find(text, add, goOn);
    while (this.#task !== undefined) await this.#finding;
    return this.#find(text, async () => found, goOn);
  }

  /** What `goOn` makes of what was found; undefined where that is no trace, or nothing, which is told. */
  #find<T>(text: string, find: Find, goOn: GoOn<T>): Promise<T | undefined> {
    const finding = this.#findNow(text, find, goOn);
    this.#finding = finding;
    return finding;
  }

  async #findNow<T>(text: string, find: Find, goOn: GoOn<T>): Promise<T | undefined> {
    this.cancel();
    this.dismissFailure();
    const task = new Task(text);
    this.#task = task;
    const found = await find(task.options);
    if (this.#task !== task) return undefined;
    const added = found.ok ? found.value : null;
    if (added === null) this.#end(task, found.ok ? undefined : found.error);
    else if ('kind' in added) this.#end(task, this.#elsewhere.showBeside(added));
    else {
      this.#tellWhatWasKnown(added);
      return goOn(task, added);
    }
    return undefined;
  }

  #open(text: string, find: Find, linked?: SavedView): Promise<void> {
    return this.#find(text, find, (task, { investigation }) =>
      this.#openAdded(task, investigation, linked),
    );
  }

  #openTrace(text: string, source: Source): Promise<void> {
    return this.#findOrWait(text, source, (task, { investigation }) =>
      this.#openAdded(task, investigation),
    );
  }

  async #openAdded(task: Task, investigation: Investigation, linked?: SavedView): Promise<void> {
    const { id } = investigation;
    const opened = await this.#api.call('trace.open', { id }, task.options);
    if (this.#task !== task) {
      if (opened.ok) void this.#api.call('trace.close', { traceId: opened.value.traceId });
      return;
    }
    const first = this.firstFigures;
    this.#end(task, opened.ok ? undefined : opened.error);
    const isMissing = !opened.ok && opened.error.code === 'file-missing';
    if (isMissing && !investigation.sample) this.#missing = investigation;
    if (opened.ok) void this.#investigation.show(opened.value, linked, first);
  }

  #tellWhatWasKnown(added: AddedInvestigation): void {
    const { investigation, wasKnown, merged } = added;
    const words = addedWords(added);
    const about = words === undefined ? '' : `: ${words}`;
    const text = `In the library already, as “${investigation.name}”${about}.`;
    if (wasKnown) this.#toasts.show(text, this.#sharedView(investigation, merged?.view));
    else if (words !== undefined) this.#toasts.show(`“${investigation.name}”: ${words}.`);
  }

  /** The way to the view of a colleague, from wherever the user is by then. */
  #sharedView(entry: Investigation, view: SavedView | undefined): ToastAction | undefined {
    if (view === undefined) return undefined;
    return {
      label: 'Show the shared view',
      run: () => {
        const { opened, view: shown } = this.#investigation;
        if (opened?.investigation.id === entry.id) shown.follow(view);
        else void this.openEntry(entry, view);
      },
    };
  }

  #end(task: Task, failure: Failure | undefined): void {
    task.end();
    this.#task = undefined;
    this.#failure = failure?.code === 'cancelled' ? undefined : failure;
    if (this.#failure !== undefined) this.#toasts.keep(this.#failure.message, 'error', true);
  }
}
