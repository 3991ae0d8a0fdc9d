import type { Note, NoteDraft } from '../../../src-main/shared/library/note.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

/** A text that is being written: it outlives failed saves, lost connections and changes of the screen. */
export class NoteEdit {
  /** What it is written on: where, which kind, and under which id it is saved. */
  readonly draft: NoteDraft;
  /** The version that was opened; absent for a note that was never saved. */
  readonly base: Note | undefined;
  text = $state('');
  #saving = $state(false);
  #failure = $state.raw<Failure | undefined>();

  constructor(draft: NoteDraft, base?: Note, text = draft.text) {
    this.draft = draft;
    this.base = base;
    this.text = text;
  }

  get id(): string {
    return this.draft.id;
  }

  get saving(): boolean {
    return this.#saving;
  }

  /** Why it could not be saved last time. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Whether closing it would lose something. */
  get dirty(): boolean {
    return this.text !== (this.base?.text ?? '');
  }

  start(): void {
    this.#saving = true;
    this.#failure = undefined;
  }

  end(failure: Failure | undefined): void {
    this.#saving = false;
    this.#failure = failure;
  }
}
