/**
 * Parts as percentages with one decimal that sum to exactly 100.0 (largest remainder); a part too
 * small to show reads `<0.1 %`, never 0.
 */
export function shareTexts(parts: readonly number[]): string[] {
  const whole = parts.reduce((sum, part) => sum + part, 0);
  if (!(whole > 0)) return parts.map(() => '–');
  const exact = parts.map((part) => (part / whole) * 1000);
  const tenths = exact.map(Math.floor);
  const missing = 1000 - tenths.reduce((sum, part) => sum + part, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .toSorted((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder.slice(0, missing)) tenths[index] = (tenths[index] ?? 0) + 1;
  return parts.map((part, index) => shareText(part, tenths[index] ?? 0));
}

function shareText(part: number, tenths: number): string {
  if (part > 0 && tenths === 0) return '<0.1\u00a0%';
  return tenths === 0 || tenths === 1000
    ? `${tenths / 10}\u00a0%`
    : `${(tenths / 10).toFixed(1)}\u00a0%`;
}
