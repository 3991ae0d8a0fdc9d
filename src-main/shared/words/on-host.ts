/** ` on node2`, where there are several hosts to tell apart; else nothing. */
export function onHost({ host }: { readonly host?: string | undefined }): string {
  return host === undefined ? '' : ` on ${host}`;
}
