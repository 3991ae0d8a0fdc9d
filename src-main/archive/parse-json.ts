const decoder = new TextDecoder('utf-8', { fatal: true });

/** The JSON in `bytes`, `undefined` where they hold none. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
