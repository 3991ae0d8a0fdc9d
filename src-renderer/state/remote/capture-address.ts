/**
 * The address of the screen of captures, which a reload keeps: `#capture`, or `#capture=‹run›` with a
 * capture on it.
 */

const ADDRESS = /^#capture(?:=([0-9a-f]{8,64}))?$/;

export function formatCaptureAddress(runId: string | undefined): string {
  return runId === undefined ? '#capture' : `#capture=${runId}`;
}

/** `undefined` for an address of something else. */
export function parseCaptureAddress(hash: string): { readonly runId?: string } | undefined {
  const match = ADDRESS.exec(hash);
  if (match === null) return undefined;
  const [, runId] = match;
  return runId === undefined ? {} : { runId };
}
