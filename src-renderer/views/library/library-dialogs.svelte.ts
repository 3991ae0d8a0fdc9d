import type { Investigation } from '../../../src-main/shared/library/investigation.ts';

/** What is asked about entries of the list; one thing at a time. */
export type LibraryDialog =
  | { readonly kind: 'remove' | 'tags'; readonly entries: readonly Investigation[] }
  | { readonly kind: 'verdict' | 'locate'; readonly entry: Investigation };

/** The dialog that is open on the library's screen, and the name that is being changed. */
export class LibraryDialogs {
  open = $state.raw<LibraryDialog | undefined>();
  renaming = $state<number | undefined>();

  close(): void {
    this.open = undefined;
  }
}
