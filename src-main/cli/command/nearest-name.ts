/** More slips of the finger than these make another word. */
const MAX_SLIPS = 2;

/** The name that was probably meant by `typed`; undefined where none is near. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const lengthsApart = (name: string) => Math.abs(name.length - typed.length);
  const near = names
    .map((name) => ({ name, slips: slipsBetween(typed, name) }))
    .filter(({ name, slips }) => slips <= MAX_SLIPS && slips < name.length / 2)
    .toSorted((a, b) => a.slips - b.slips || lengthsApart(a.name) - lengthsApart(b.name));
  return near[0]?.name;
}

/**
 * How many letters are missing, too many, wrong or swapped with their neighbour: the optimal string
 * alignment distance (Damerau 1964).
 */
function slipsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (up: number, left: number) => rows[i - up]?.[j - left] ?? 0;
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(1, 0) + 1,
        (row[j - 1] ?? 0) + 1,
        at(1, 1) + (isSame ? 0 : 1),
        isSwapped ? at(2, 2) + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? Infinity;
}
