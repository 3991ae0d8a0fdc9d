/** The scroll position nearest to `scrollTop` that shows all of a row in `room` pixels; of a taller one its top. */
export function scrollTopFor(
  { y, height }: { readonly y: number; readonly height: number },
  scrollTop: number,
  room: number,
): number {
  if (y < scrollTop || height > room) return y;
  return Math.max(scrollTop, y + height - room);
}
