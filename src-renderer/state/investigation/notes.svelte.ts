import { SvelteMap } from 'svelte/reactivity';
import type { Api } from '../../../src-main/contract/api.ts';
import type { CallError } from '../../../src-main/contract/contract.ts';
import type { Note, NoteDraft } from '../../../src-main/shared/library/note.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { noteStartNs } from '../../lib/note-marks.ts';
import type { Toasts } from '../common/toasts.svelte.ts';
import type { KeptDraft } from './kept-drafts.ts';
import { NoteEdit } from './note-edit.svelte.ts';

/** What somebody else made of a note while it was edited here; `theirs` is absent where they deleted it. */
export interface NoteConflict {
  readonly theirs: Note | undefined;
}

function byTime(a: Note, b: Note): number {
  return noteStartNs(a) - noteStartNs(b) || a.createdAt.localeCompare(b.createdAt);
}

const quoted = ({ text, kind }: NoteDraft) =>
  kind === 'bookmark' ? 'Bookmark' : text.trim() === '' ? 'Empty note' : 'Note';

/**
 * Notes and bookmarks of the open investigation. What the user does shows at once and is taken back
 * where it could not be kept; what others do arrives through `notes.changed`.
 */
export class Notes {
  readonly #api: Api;
  readonly #toasts: Toasts;
  #investigation = $state<number | undefined>();
  #stored = $state.raw<ReadonlyMap<string, Note>>(new Map());
  #loaded = $state(false);
  #failure = $state.raw<Failure | undefined>();
  /** Written or removed (`null`) here, and not answered yet. */
  readonly #pending = new SvelteMap<string, Note | null>();
  /** Texts being written, by note; those of other investigations wait until these are open again. */
  readonly #edits = new SvelteMap<string, { investigation: number; edit: NoteEdit }>();
  #loads = 0;

  readonly list: readonly Note[] = $derived.by(() => {
    const shown = new Map(this.#stored);
    for (const [id, note] of this.#pending) {
      if (note === null) shown.delete(id);
      else shown.set(id, note);
    }
    return [...shown.values()].sort(byTime);
  });

  /** Texts being written, of the open investigation. */
  readonly edits: readonly NoteEdit[] = $derived.by(() =>
    [...this.#edits.values()]
      .filter(({ investigation }) => investigation === this.#investigation)
      .map(({ edit }) => edit),
  );

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
    api.on('notes.changed', ({ investigation }) => {
      if (investigation === this.#investigation) void this.reload();
    });
  }

  /** Whether the list has arrived. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Why the list could not be asked for; an earlier one stays. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  find(id: string): Note | undefined {
    const pending = this.#pending.get(id);
    return pending === null ? undefined : (pending ?? this.#stored.get(id));
  }

  editOf(id: string): NoteEdit | undefined {
    return this.#edits.get(id)?.edit;
  }

  /** What would be lost with the page, of every investigation. */
  get drafts(): readonly KeptDraft[] {
    return [...this.#edits.values()]
      .filter(({ edit }) => edit.dirty)
      .map(({ investigation, edit: { draft, base, text } }) => ({
        investigation,
        draft,
        text,
        ...(base !== undefined && { base }),
      }));
  }

  /** Goes on with what was being written when an earlier page went away. */
  adopt(drafts: readonly KeptDraft[]): void {
    for (const { investigation, draft, base, text } of drafts)
      if (!this.#edits.has(draft.id))
        this.#edits.set(draft.id, { investigation, edit: new NoteEdit(draft, base, text) });
  }

  /** Shows the notes of another investigation, or of none. Texts being written are kept. */
  open(investigation: number | undefined): Promise<void> {
    if (investigation !== this.#investigation) {
      this.#investigation = investigation;
      this.#stored = new Map();
      this.#pending.clear();
      this.#loaded = false;
      this.#failure = undefined;
    }
    return this.reload();
  }

  async reload(): Promise<void> {
    const investigation = this.#investigation;
    const load = ++this.#loads;
    if (investigation === undefined) return;
    const listed = await this.#api.call('notes.list', { investigation });
    if (load !== this.#loads) return;
    this.#failure = listed.ok ? undefined : listed.error;
    if (!listed.ok) return;
    this.#stored = new Map(listed.value.map((note) => [note.id, note]));
    this.#loaded = true;
  }

  /**
   * Writes a note; `basedOn` is the version that was edited, `createdAt` that of one that was deleted.
   * It shows at once, and goes where that fails.
   */
  async put(
    note: NoteDraft,
    known: { readonly basedOn?: string; readonly createdAt?: string } = {},
  ): Promise<Result<Note, CallError<'notes.put'>> | undefined> {
    const investigation = this.#investigation;
    if (investigation === undefined) return undefined;
    const now = new Date().toISOString();
    const createdAt = this.#stored.get(note.id)?.createdAt ?? known.createdAt ?? now;
    this.#pending.set(note.id, { ...note, createdAt, updatedAt: now });
    const answer = await this.#api.call('notes.put', { investigation, note, ...known });
    if (investigation !== this.#investigation) return answer;
    if (answer.ok) this.#stored = new Map(this.#stored).set(note.id, answer.value);
    this.#pending.delete(note.id);
    return answer;
  }

  /** Takes a note off the list, with a way back. */
  async remove(note: Note): Promise<void> {
    const investigation = this.#investigation;
    if (investigation === undefined) return;
    // The version of one that is still being saved is not known yet.
    const version = this.#pending.has(note.id) ? {} : { basedOn: note.updatedAt };
    this.#pending.set(note.id, null);
    const args = { investigation, note: note.id, ...version };
    const removed = await this.#api.call('notes.remove', args);
    if (investigation !== this.#investigation) return;
    if (removed.ok) {
      const stored = new Map(this.#stored);
      stored.delete(note.id);
      this.#stored = stored;
    }
    this.#pending.delete(note.id);
    if (!removed.ok) {
      const isChanged = removed.error.code === 'note-changed';
      if (isChanged) await this.reload();
      const why = isChanged ? 'another window changed it, read it first.' : removed.error.message;
      this.#toasts.error(`The note was not deleted: ${why}`);
    } else
      this.#toasts.show(`${quoted(note)} deleted.`, {
        label: 'Undo',
        run: () => void this.#restore(investigation, note),
      });
  }

  async #restore(investigation: number, note: Note): Promise<void> {
    const { createdAt, updatedAt: _updated, ...draft } = note;
    const put =
      investigation === this.#investigation
        ? await this.put(draft, { createdAt })
        : await this.#api.call('notes.put', { investigation, note: draft, createdAt });
    if (put?.ok === false)
      this.#toasts.error(`The note could not be restored: ${put.error.message}`);
  }

  /** Opens a note for writing, or goes on with what was being written. */
  edit(note: Note): NoteEdit {
    const { createdAt: _created, updatedAt: _updated, ...draft } = note;
    return this.editOf(note.id) ?? this.#open(new NoteEdit(draft, note));
  }

  /** Starts a note that does not exist yet. */
  write(draft: NoteDraft): NoteEdit {
    return this.#open(new NoteEdit(draft));
  }

  #open(edit: NoteEdit): NoteEdit {
    const investigation = this.#investigation;
    if (investigation !== undefined) this.#edits.set(edit.id, { investigation, edit });
    return edit;
  }

  /** Ends the writing without saving. */
  discard(edit: NoteEdit): void {
    this.#edits.delete(edit.id);
  }

  /** What happened to the note since it was opened for `edit`, while that is not being saved. */
  conflictOf(edit: NoteEdit): NoteConflict | undefined {
    if (edit.base === undefined || edit.saving || !this.#loaded) return undefined;
    const theirs = this.#stored.get(edit.id);
    return theirs?.updatedAt === edit.base.updatedAt ? undefined : { theirs };
  }

  /** Saves what was written. Where that fails the text stays open, with the reason beside it. */
  async save(edit: NoteEdit): Promise<void> {
    if (edit.saving) return;
    edit.start();
    const note = { ...edit.draft, text: edit.text };
    const put = await this.put(note, edit.base && { basedOn: edit.base.updatedAt });
    if (put?.ok === true) {
      edit.end(undefined);
      const kept = this.#edits.get(edit.id);
      this.#edits.delete(edit.id);
      // What was typed while the text before it was saved is a change of that.
      if (kept?.edit === edit && edit.text !== note.text)
        this.#edits.set(edit.id, { ...kept, edit: new NoteEdit(edit.draft, put.value, edit.text) });
      return;
    }
    // The other version must be there before the choice between the two is offered.
    if (put?.error.code === 'note-changed') await this.reload();
    edit.end(put?.error);
  }

  /** Of two versions, the one written here: it is saved over theirs. */
  keepMine(edit: NoteEdit): Promise<void> {
    const { theirs } = this.conflictOf(edit) ?? {};
    return this.save(this.#open(new NoteEdit(edit.draft, theirs, edit.text)));
  }

  /** Of two versions, the other one; what was written here can be had back. */
  takeTheirs(edit: NoteEdit): void {
    const investigation = this.#investigation;
    this.discard(edit);
    this.#toasts.show('Their version stays.', {
      label: 'Edit mine again',
      run: () => {
        if (investigation !== this.#investigation) return;
        this.#open(new NoteEdit(edit.draft, this.#stored.get(edit.id), edit.text));
      },
    });
  }
}
