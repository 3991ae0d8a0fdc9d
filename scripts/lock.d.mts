export function withLock<T>(
  folder: string,
  onWait: (pid: number | undefined) => void,
  action: () => T,
): T;
