/** Whole seconds as a stopwatch shows them: `3:12`, `1:02:05`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${minutes}:${two(whole % 60)}`;
}

/** The same in words, for a duration that was set or is estimated: `45 s`, `3 min 12 s`, `2 h 5 min`. */
export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const parts = [
    ...(hours > 0 ? [`${hours} h`] : []),
    ...(minutes > 0 ? [`${minutes} min`] : []),
    ...(hours === 0 && (whole % 60 > 0 || whole < 60) ? [`${whole % 60} s`] : []),
  ];
  return parts.join(' ');
}
