/** A piece of a sentence; code stands between backticks in it, as in Markdown. */
export interface TextPiece {
  readonly text: string;
  readonly isCode: boolean;
}

/** ``Set `num_workers=4` there`` in its pieces, without the backticks. One that is not closed is a character as any other. */
export function inlineCode(sentence: string): TextPiece[] {
  const pieces = sentence.split(/`([^`\s](?:[^`]*[^`\s])?)`/);
  return pieces.flatMap((text, at) => (text === '' ? [] : [{ text, isCode: at % 2 === 1 }]));
}
