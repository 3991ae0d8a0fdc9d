const MS_PER_MINUTE = 60_000;

/** `2025-11-03 14:22` in UTC, `–` where the text is no date. */
export function formatUtcMinute(iso: string | undefined): string {
  return formatUtcSecond(iso).slice(0, 16);
}

export function formatUtcSecond(iso: string | undefined): string {
  const date = new Date(iso ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(0, 19).replace('T', ' ');
}

/** The same in the user's own time zone: for what the user did. */
export function formatLocalMinute(iso: string | undefined): string {
  const date = new Date(iso ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '–';
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * MS_PER_MINUTE);
  return formatUtcMinute(shifted.toISOString());
}

/**
 * The moment of a Unix time in ns (decimal, beyond 2^53), to the ms; `undefined` where that is none,
 * or 0, which a recorder without a wall clock writes.
 */
export function dateOfUnixNs(unixNs: string): Date | undefined {
  // Up to the year 5138: what is longer no clock wrote.
  if (!/^\d{1,20}$/.test(unixNs)) return undefined;
  const ms = Number(BigInt(unixNs) / 1_000_000n);
  return ms > 0 ? new Date(ms) : undefined;
}

/** Unix time in ns as `2025-11-03 14:22:05 UTC`; `undefined` where there is none. */
export function formatUnixNs(unixNs: string): string | undefined {
  const iso = dateOfUnixNs(unixNs)?.toISOString();
  return iso === undefined ? undefined : `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
