/** A part of a sentence for people. */
interface SentencePart {
  readonly kind: 'text' | 'code';
  readonly text: string;
  /** It is read as one word, and breaks nowhere. */
  readonly isWhole: boolean;
}

/** What is typed as one word is read as one: an option does not break behind its hyphens. */
const OPTION = /(--[a-z][\w-]*(?:=[\w,.-]*\w)?)/;
/** Longer code has to break somewhere. */
const LONGEST_UNBROKEN = 32;

/** What stands between backticks is typed, and options stand also without them. */
export function sentenceParts(sentence: string): SentencePart[] {
  return sentence
    .split(/`([^`\n]+)`/)
    .flatMap((part, at): SentencePart[] => {
      if (at % 2 === 1)
        return [{ kind: 'code', text: part, isWhole: part.length <= LONGEST_UNBROKEN }];
      return part
        .split(OPTION)
        .map((text, place) => ({ kind: 'text', text, isWhole: place % 2 === 1 }));
    })
    .filter(({ text }) => text !== '');
}
