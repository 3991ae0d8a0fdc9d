/** `value` where it is within [low, high], else the nearer end; `low` where nothing is within. */
export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}
