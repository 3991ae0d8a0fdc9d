import type { Note, NoteDraft } from '../../../src-main/shared/library/note.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import { type Tab, tabSpec } from '../../../src-main/shared/tabs/tabs.ts';
import { type NoteMark, noteMarks } from '../../lib/note-marks.ts';
import type { Toasts } from '../common/toasts.svelte.ts';
import { savedWindow } from '../timeline/saved-event.ts';
import type { Selection } from '../timeline/selection.svelte.ts';
import type { TimelineState } from '../timeline/timeline.svelte.ts';
import type { NoteEdit } from './note-edit.svelte.ts';
import { NoteList } from './note-list.svelte.ts';
import { kindText } from './note-words.ts';
import type { Notes } from './notes.svelte.ts';
import type { ViewState } from './view.svelte.ts';

/** What notes are put on, and shown on. */
interface Screen {
  readonly timeline: TimelineState | undefined;
  readonly selection: Selection;
  readonly notes: Notes;
  readonly view: ViewState;
  readonly tab: Tab;
  showTab(tab: Tab): void;
}

type Place = Pick<NoteDraft, 'startNs' | 'endNs' | 'event'>;

const SLOTS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
/** A moment is shown with this part of what was on the screen when all of the trace is. */
const MOMENT_SHARE = 0.1;

/** Puts notes and bookmarks on the timeline, and finds their places again. */
export class Marking {
  readonly #screen: Screen;
  readonly #toasts: Toasts;
  readonly list: NoteList;
  /** What is drawn of the notes, in order of time. */
  readonly marks: readonly NoteMark[] = $derived.by(() => noteMarks(this.#screen.notes.list));
  #openId = $state<string | undefined>();
  #pointedId = $state<string | undefined>();
  #timesOpened = $state(0);

  constructor(screen: Screen, toasts: Toasts) {
    this.#screen = screen;
    this.#toasts = toasts;
    this.list = new NoteList(() => screen.notes.list);
  }

  /** The note open beside the timeline: one that is being read, or written. */
  get openId(): string | undefined {
    return this.#openId;
  }

  /** Rises whenever one is opened, the same one too: then it gets the focus. */
  get timesOpened(): number {
    return this.#timesOpened;
  }

  /** The mark the pointer is on, else that of the open note. */
  get pointed(): NoteMark | undefined {
    const id = this.#pointedId ?? this.#openId;
    return id === undefined ? undefined : this.marks.find((mark) => mark.id === id);
  }

  pointAt(id: string | undefined): void {
    this.#pointedId = id;
  }

  open(id: string): void {
    this.#openId = id;
    this.#timesOpened += 1;
  }

  close(): void {
    this.#openId = undefined;
  }

  /** Where a new note goes: the range or the event, whichever was selected last, else the middle of the view. */
  #place(timeline: TimelineState): Place {
    const { range, latest } = this.#screen.selection;
    if (range !== undefined && latest === 'range') return savedWindow(range);
    const { event } = timeline.saved();
    if (event !== undefined)
      return { startNs: event.startNs, endNs: event.startNs + event.durationNs, event };
    if (range !== undefined) return savedWindow(range);
    const { startNs, endNs } = timeline.viewport.window;
    const middle = Math.max(0, Math.round((startNs + endNs) / 2));
    return { startNs: middle, endNs: middle };
  }

  /**
   * Starts a note. One that is being written already gets the focus instead: nothing is lost. One that is
   * on its way to the library is written, and keeps nobody waiting.
   */
  async addNote(): Promise<void> {
    const { notes, timeline } = this.#screen;
    if (timeline === undefined) return;
    await timeline.settled();
    const begun = this.#openId === undefined ? undefined : notes.editOf(this.#openId);
    if (begun?.dirty && !begun.saving) {
      this.open(begun.id);
      return;
    }
    if (begun?.saving === false) notes.discard(begun);
    const place = this.#place(timeline);
    const edit = notes.write({ id: crypto.randomUUID(), kind: 'note', text: '', ...place });
    this.open(edit.id);
  }

  /** Ends writing without saving. */
  discard(edit: NoteEdit): void {
    this.#screen.notes.discard(edit);
    if (edit.base === undefined && edit.id === this.#openId) this.close();
  }

  /** Saves what was written; a new note is then done with. */
  async save(edit: NoteEdit): Promise<void> {
    const { notes } = this.#screen;
    await notes.save(edit);
    const isOpen = edit.id === this.#openId;
    if (notes.editOf(edit.id) === undefined) {
      if (isOpen && edit.base === undefined) this.close();
    } else if (!isOpen && edit.failure !== undefined)
      this.#toasts.error(`The note is not kept: ${edit.failure.message}`, {
        label: 'Show it',
        run: () => this.open(edit.id),
      });
  }

  /** Puts the next free digit on what is on the screen. */
  async addBookmark(): Promise<void> {
    const { notes, timeline, view } = this.#screen;
    if (timeline === undefined) return;
    await timeline.settled();
    if (view.current === undefined) return;
    const taken = new Set(notes.list.map(({ slot }) => slot));
    const slot = SLOTS.find((digit) => !taken.has(digit));
    if (slot === undefined) return this.#tellAllTaken();
    const id = crypto.randomUUID();
    const put = await notes.put({
      id,
      kind: 'bookmark',
      text: '',
      slot,
      ...this.#bookmarkPlace(timeline),
      view: this.#bookmarkView(view.current),
    });
    if (put?.ok === false) this.#toasts.show(`The bookmark is not kept: ${put.error.message}`);
    else if (put !== undefined)
      this.#toasts.showHere(`Bookmark ${slot}: the key ${slot} brings you back here.`);
  }

  #tellAllTaken(): void {
    this.#toasts.show('All nine bookmarks are taken: delete one to free its digit.', {
      label: 'Show them',
      run: () => {
        this.list.search = '';
        this.list.filter = 'bookmark';
        this.#screen.showTab('notes');
      },
    });
  }

  #bookmarkPlace(timeline: TimelineState): Place {
    const { range } = this.#screen.selection;
    if (range !== undefined || timeline.saved().event !== undefined) return this.#place(timeline);
    return savedWindow(timeline.viewport.window);
  }

  /** A bookmark is a place in time: tracks stay as they are when it is recalled. */
  #bookmarkView({ tab, tracks: _tracks, flame, ...times }: SavedView): SavedView {
    if (!tabSpec(tab).bookmarked) return { tab: 'timeline', ...times };
    return { tab, ...times, ...(tab === 'flame' && flame !== undefined && { flame }) };
  }

  /** Goes to the bookmark with a digit. */
  recall(slot: number): void {
    const note = this.#screen.notes.list.find((each) => each.slot === slot);
    if (note !== undefined) void this.show(note);
    else
      this.#toasts.show(
        `Bookmark ${slot} is empty: the command “Bookmark the selection” fills the next free one.`,
      );
  }

  /** Shows a note or a bookmark where it belongs. */
  async show(note: Note): Promise<void> {
    const { timeline, view } = this.#screen;
    if (timeline === undefined) return;
    if (note.view === undefined) this.#showTimes(timeline, note);
    else view.recall(note.view);
    const row = note.event && (await timeline.source.rowOf(note.event));
    if (row === null)
      this.#toasts.show(
        `The event of this ${kindText(note).toLowerCase()} is not in the trace any more: its time is shown instead.`,
      );
    if (note.view === undefined) this.#showEvent(timeline, note, row ?? undefined);
    else if (row !== null) await revealTrack(timeline);
  }

  #showTimes(timeline: TimelineState, { startNs, endNs, event }: Note): void {
    this.#screen.showTab('timeline');
    showTimes(timeline, startNs, endNs);
    if (event === undefined)
      timeline.restore({ range: endNs > startNs ? { startNs, endNs } : undefined });
  }

  #showEvent(timeline: TimelineState, { event }: Note, row: number | undefined): void {
    if (event === undefined) return;
    if (row === undefined) timeline.restore({ event });
    else {
      timeline.restore({});
      this.#screen.selection.showEvent({ table: event.table, row });
    }
  }
}

/** Brings the track of the selected event on screen. */
async function revealTrack(timeline: TimelineState): Promise<void> {
  await timeline.settled();
  const { selected } = timeline;
  if (selected !== undefined) timeline.tracks.reveal(selected.track);
}

/** Fits a range; moves to a moment, and near it where all of the trace is on the screen. */
function showTimes({ viewport }: TimelineState, startNs: number, endNs: number): void {
  const { window, lengthNs } = viewport;
  const nearNs = lengthNs * MOMENT_SHARE;
  if (endNs > startNs) viewport.fit(startNs, endNs);
  else if (window.endNs - window.startNs < nearNs) viewport.centreOn(startNs);
  else viewport.fit(startNs - nearNs / 2, startNs + nearNs / 2);
}
