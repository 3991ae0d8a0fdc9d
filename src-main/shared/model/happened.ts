/**
 * How many events there were, of which a recorder counted `count` and wrote `stored` to the file
 * (-1 = it does not say how many), and of which the file holds `rows`. A recorder may write events
 * that it does not count, so those come on top; and it may remove some that it wrote, which still
 * happened.
 */
export function happened(count: number, stored: number, rows: number): number {
  return stored < 0 ? Math.max(count, rows) : count + Math.max(0, rows - stored);
}
