/** As many pieces in each line as fit in `width`, with a space between two. */
export function fillLines(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + piece.length <= width)
      lines[lines.length - 1] = `${line} ${piece}`;
    else lines.push(piece);
  }
  return lines;
}
