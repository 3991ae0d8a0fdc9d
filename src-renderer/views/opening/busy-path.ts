/** A bar for each stretch that was busy, 1 wide and as high as its share of `height`: data of an SVG path. */
export function busyPath(busyPercent: readonly number[], height: number): string {
  const bars = busyPercent.flatMap((percent, at) => {
    const bar = (height * percent) / 100;
    return percent > 0 ? [`M${at} ${height}v${-bar}h1v${bar}z`] : [];
  });
  return bars.join('');
}
