import { type Note, type NoteDraft, noteDraft } from '../../../src-main/shared/library/note.ts';

/** A text that was being written when the page went away. */
export interface KeptDraft {
  readonly investigation: number;
  readonly draft: NoteDraft;
  /** The version that was edited; absent for a note that was never saved. */
  readonly base?: Note;
  readonly text: string;
}

/** The page's localStorage, which may throw where storage is forbidden or full. */
type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'stalltrace.drafts';

/** Keeps what would be lost with the page, beside what other windows left. */
export function keepDrafts(storage: DraftStorage, drafts: readonly KeptDraft[]): void {
  if (drafts.length === 0) return;
  const ids = new Set(drafts.map(({ draft }) => draft.id));
  try {
    const others = parseDrafts(storage.getItem(KEY)).filter(({ draft }) => !ids.has(draft.id));
    storage.setItem(KEY, JSON.stringify([...others, ...drafts]));
  } catch {
    // Then the text ends with the page.
  }
}

/** What was kept, which is the caller's from then on. */
export function takeDrafts(storage: DraftStorage): readonly KeptDraft[] {
  try {
    const text = storage.getItem(KEY);
    storage.removeItem(KEY);
    return parseDrafts(text);
  } catch {
    return [];
  }
}

function parseDrafts(text: string | null): KeptDraft[] {
  const kept: unknown = JSON.parse(text ?? '[]');
  return Array.isArray(kept) ? kept.filter(isKept) : [];
}

function isKept(value: unknown): value is KeptDraft {
  if (typeof value !== 'object' || value === null) return false;
  const { investigation, draft, base, text } = value as Record<string, unknown>;
  return (
    Number.isInteger(investigation) &&
    typeof text === 'string' &&
    noteDraft.safeParse(draft).success &&
    (base === undefined || isNote(base))
  );
}

function isNote(value: unknown): value is Note {
  if (typeof value !== 'object' || value === null) return false;
  const { createdAt, updatedAt, ...draft } = value as Record<string, unknown>;
  const hasTimes = typeof createdAt === 'string' && typeof updatedAt === 'string';
  return hasTimes && noteDraft.safeParse(draft).success;
}
