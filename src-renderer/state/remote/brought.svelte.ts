import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import { plural } from '../../../src-main/shared/text/units.ts';
import type { Toasts } from '../common/toasts.svelte.ts';
import type { CaptureFields } from './capture-options.svelte.ts';
import type { LinkStorage, RunGroup } from './kept-links.ts';
import { entriesOf, RunGroups } from './run-groups.svelte.ts';
import type { Begun } from './starts.svelte.ts';

/** What becomes of a trace that a capture brought. */
export interface Destinations {
  /** Opens it, on its slowest copy. */
  readonly showBrought: (investigation: Investigation) => Promise<void>;
  /** Opens what was recorded again, and compares it with the run before: the id of its entry. */
  readonly compareBrought: (before: number, brought: Investigation) => Promise<void>;
  /** Makes one investigation of entries of several hosts, in this order, and opens that; compared with `before`. Whether it could. */
  readonly openTogether: (
    entries: readonly number[],
    before: number | undefined,
  ) => Promise<boolean>;
  /** Of the window, which a reload keeps. */
  readonly storage: LinkStorage;
}

/** What the captures of this window bring: opened, compared with a run before, or made one of several hosts. */
export class Brought {
  readonly #destinations: Destinations;
  readonly #toasts: Toasts;
  readonly #isShown: (runId: string) => boolean;
  readonly groups: RunGroups;
  /** By the ids of captures: what was filled in for each, and the entry that it is. */
  readonly #filledIn = new Map<string, CaptureFields>();
  readonly #entries = new Map<string, number>();
  /** What was filled in for the captures that this window brought, by the ids of their entries. */
  readonly #fieldsOf = new Map<number, CaptureFields>();

  /** `isShown`: whether a capture is on the screen. */
  constructor(destinations: Destinations, toasts: Toasts, isShown: (runId: string) => boolean) {
    this.#destinations = destinations;
    this.#toasts = toasts;
    this.#isShown = isShown;
    this.groups = new RunGroups(destinations.storage);
  }

  /**
   * Captures of one press, the first host's first; asked again, with those that began later. `before`: the entry that what
   * they bring is compared with.
   */
  expect(begun: readonly Begun[], before: number | undefined): void {
    for (const { run, fields } of begun) this.#filledIn.set(run, fields);
    const ids = begun.map(({ run }) => run);
    this.groups.join(ids, before);
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) this.groups.bring(id, entry);
    }
  }

  /** What was filled in for the capture that brought an entry, as far as this window knows. */
  fieldsOf(entry: number): CaptureFields | undefined {
    return this.#fieldsOf.get(entry);
  }

  /** A trace is in the library. */
  take(run: Run, brought: Investigation): void {
    this.#entries.set(run.id, brought.id);
    const fields = this.#filledIn.get(run.id);
    if (fields !== undefined) this.#fieldsOf.set(brought.id, fields);
    const group = this.groups.bring(run.id, brought.id);
    if (group !== undefined && group.runs.length > 1) {
      const left = group.runs.filter(({ entry }) => entry === undefined).length;
      if (left === 0) this.#offer(group);
      else
        this.#toasts.show(
          `“${brought.name}” is in the library; ${plural(left, 'capture')} of the same run ${left === 1 ? 'is' : 'are'} still to come.`,
        );
      return;
    }
    // By itself, or the others were given up.
    if (group !== undefined) this.groups.end(group);
    const before = group?.before;
    const [label, open] =
      before === undefined
        ? ['Open', () => void this.#destinations.showBrought(brought)]
        : ['Compare', () => void this.#destinations.compareBrought(before, brought)];
    if (this.#isShown(run.id)) open();
    else this.#toasts.show(`“${brought.name}” is in the library.`, { label, run: open });
  }

  /** A capture will bring nothing: those it was started with are one investigation without it. */
  giveUp(runId: string): void {
    const isHere = this.groups.of(runId)?.runs.some(({ id, entry }) => id === runId && entry);
    // What is forgotten on its host may be in the library.
    if (isHere === true) return;
    const group = this.groups.leave(runId);
    if (group !== undefined && entriesOf(group) !== undefined) this.#offer(group);
  }

  /** Opens what all of a group brought as one investigation. */
  async openTogether(group: RunGroup): Promise<void> {
    const entries = entriesOf(group);
    if (entries === undefined || entries.length === 0) return;
    // Where it can't be done now, it can be asked for again.
    if (await this.#destinations.openTogether(entries, group.before)) this.groups.end(group);
  }

  #offer(group: RunGroup): void {
    const open = () => void this.openTogether(group);
    if (group.runs.some(({ id }) => this.#isShown(id))) open();
    else if (group.runs.length > 1)
      this.#toasts.show(`The traces of ${group.runs.length} hosts are in the library.`, {
        label: 'Open as one run',
        run: open,
      });
    else if (group.runs.length > 0)
      this.#toasts.show('The trace of that run is in the library.', { label: 'Open', run: open });
  }
}
