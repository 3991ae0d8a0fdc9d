import { createContext } from 'svelte';
import type { Api } from '../../src-main/contract/api.ts';
import type { Scope } from '../../src-main/shared/commands.ts';
import type { About } from '../../src-main/shared/contract/app-calls.ts';
import type { Failure } from '../../src-main/shared/rpc/result.ts';
import { tabStorage } from '../lib/page-storage.ts';
import { CommandRegistry } from './common/command-registry.svelte.ts';
import type { Connection } from './common/connection.svelte.ts';
import { Toasts } from './common/toasts.svelte.ts';
import { BenchmarkState } from './investigation/benchmark.svelte.ts';
import { InvestigationState } from './investigation/investigation.svelte.ts';
import { Opener } from './investigation/opener.svelte.ts';
import { PerfettoState } from './investigation/perfetto.svelte.ts';
import { PictureState } from './investigation/picture.svelte.ts';
import { ReportState } from './investigation/report.svelte.ts';
import { TraceFinds } from './investigation/trace-finds.svelte.ts';
import { DataFolder } from './library/data-folder.svelte.ts';
import { Imports } from './library/imports.svelte.ts';
import { Library } from './library/library.svelte.ts';
import { LibraryList } from './library/library-list.svelte.ts';
import { RunComparing } from './library/run-comparing.svelte.ts';
import { SavedQueries } from './library/saved-queries.svelte.ts';
import { Links } from './links.svelte.ts';
import { runMenuCommand } from './menu-command.ts';
import { firstAddress, replaceAddress } from './page-address.ts';
import { CaptureFlow } from './remote/capture-flow.svelte.ts';
import { showBrought } from './remote/show-brought.ts';
import { KeptSecrets } from './settings/kept-secrets.svelte.ts';
import { Keys } from './settings/keys.svelte.ts';
import { Panes } from './settings/panes.svelte.ts';
import { SettingsState } from './settings/settings.svelte.ts';
import type { Theme, ThemeChoice } from './settings/theme.svelte.ts';

/** All state of one window. */
export class AppState {
  readonly #api: Api;
  readonly connection: Connection;
  readonly theme: Theme;
  readonly toasts = new Toasts();
  readonly commands = new CommandRegistry((scope) => this.#isShown(scope));
  readonly settings: SettingsState;
  readonly keys: Keys;
  readonly panes: Panes;
  readonly dataFolder: DataFolder;
  readonly keptSecrets: KeptSecrets;
  readonly savedQueries: SavedQueries;
  readonly library: Library;
  readonly investigation: InvestigationState;
  readonly benchmark: BenchmarkState;
  readonly finds: TraceFinds;
  readonly report: ReportState;
  readonly opener: Opener;
  readonly links: Links;
  readonly imports: Imports;
  readonly picture: PictureState;
  readonly perfetto: PerfettoState;
  readonly libraryList: LibraryList;
  readonly comparing: RunComparing;
  readonly capture: CaptureFlow;
  #about = $state.raw<About | undefined>();
  #loaded = $state(false);

  constructor(api: Api, connection: Connection, theme: Theme) {
    this.#api = api;
    this.connection = connection;
    this.theme = theme;
    this.settings = new SettingsState(api, this.toasts);
    this.keys = new Keys(this.settings);
    this.panes = new Panes(this.settings);
    this.dataFolder = new DataFolder(api);
    this.keptSecrets = new KeptSecrets(api);
    this.savedQueries = new SavedQueries(api, this.toasts);
    this.library = new Library(api, this.toasts);
    this.investigation = new InvestigationState(api, this.toasts);
    this.benchmark = new BenchmarkState(api, this.investigation);
    this.finds = new TraceFinds(api, this.investigation);
    this.report = new ReportState(api, this.investigation);
    this.opener = new Opener(api, this.investigation, this.toasts, {
      followLink: (hash) => this.links.open(hash),
      showBeside: (file) =>
        file.kind === 'benchmark'
          ? this.benchmark.show(file)
          : this.investigation.secondOpinion.show(file),
      compare: (runs) => this.comparing.show(runs),
    });
    this.links = new Links(this, replaceAddress);
    this.picture = new PictureState(api);
    this.perfetto = new PerfettoState(api, this.investigation);
    this.imports = new Imports(api, this.toasts);
    this.libraryList = new LibraryList(this.library);
    this.comparing = new RunComparing(api, this.library, this.investigation);
    this.capture = new CaptureFlow(api, this.toasts, {
      clearWindow: () => this.investigation.close(),
      storage: tabStorage(),
      showBrought: (brought) => showBrought(api, this.opener, this.investigation, brought),
      compareBrought: async (before, brought) => {
        await this.opener.openEntry(brought);
        const entry = this.library.entries?.find(({ id }) => id === before);
        // It may have been removed meanwhile.
        if (entry !== undefined) this.comparing.show([entry, brought]);
      },
      openTogether: async (entries, before) => {
        const shown = this.investigation.opened?.traceId;
        await this.library.load();
        const known = (wanted: number | undefined) =>
          this.library.entries?.find(({ id }) => id === wanted);
        const there = entries.flatMap((id) => known(id) ?? []);
        const [only, ...others] = there;
        // Of several hosts only one may have brought anything, or the others were removed.
        if (only !== undefined && others.length === 0)
          await showBrought(api, this.opener, this.investigation, only);
        else if (only !== undefined) await this.opener.openInOrder(there);
        else this.toasts.error('The traces of that run are no longer in the library.');
        const { opened } = this.investigation;
        if (opened === undefined || opened.traceId === shown) return there.length === 0;
        const entry = known(before);
        if (entry !== undefined) this.comparing.show([entry, opened.investigation]);
        return true;
      },
    });
    api.on('app.command', ({ command }) => runMenuCommand(this, command));
    api.on('launch.waiting', () => void this.opener.openLaunch());
  }

  /** Which host this is; `undefined` until it answered. */
  get about(): About | undefined {
    return this.#about;
  }

  /** Whether the first screen has all it asked for, and what the address named has been opened. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Whether commands of a scope have their screen on the window. */
  #isShown(scope: Scope): boolean {
    if (scope === 'app') return true;
    const { data, tab } = this.investigation;
    if (scope === 'library') return data === undefined && !this.capture.shown;
    if (scope === 'capture') return data === undefined && this.capture.shown;
    return data !== undefined && (scope === 'investigation' || scope === tab);
  }

  chooseTheme(theme: ThemeChoice): void {
    this.theme.choose(theme);
    void this.settings.change({ theme });
  }

  /** Opens the trace on the screen once more, after its process was lost. */
  reopen(): void {
    const entry = this.investigation.opened?.investigation;
    if (entry !== undefined) void this.opener.openEntry(entry);
  }

  /** Asks for everything the first screen needs; again after a lost connection. */
  async load(): Promise<void> {
    const [about] = await Promise.all([
      this.#api.call('app.about', {}),
      this.library.load(),
      this.settings.load(),
    ]);
    if (about.ok) this.#about = about.value;
    this.investigation.reclaim();
    void this.capture.runs.load();
    if (!this.#loaded) {
      void this.capture.restore();
      const address = firstAddress();
      // An empty one leads to the library, away from what was chosen while this was loading.
      if (address !== '') await this.links.open(address);
    }
    this.#loaded = true;
    await this.opener.openLaunch();
  }
}

export const [getApp, setApp] = createContext<AppState>();

/** Whether asking again is useless until the trace is opened again. */
export function isProcessGone(failure: Failure | undefined): boolean {
  return failure?.code === 'process-lost' || failure?.code === 'not-open';
}
