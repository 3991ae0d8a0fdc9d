/** An expected failure (host, permission, file, cancelled): a value, never an exception. */
export interface Failure<Code extends string = string> {
  readonly code: Code;
  /** One clear sentence with the next step, fit to be shown to the user. */
  readonly message: string;
  /** What a bug report needs and a user does not: an errno, SQLite's own words. */
  readonly detail?: string;
}

export type Result<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Failure<Code> };

/** What went well. */
export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value };
}

/** An expected failure: see `Failure` for what its `message` and `detail` are. */
export function fail<Code extends string>(
  code: Code,
  message: string,
  detail?: string,
): Result<never, Code> {
  return { ok: false, error: detail === undefined ? { code, message } : { code, message, detail } };
}

/** The message of anything thrown, for the `detail` of a failure. */
export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
