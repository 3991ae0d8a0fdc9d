/** CPU ms that this thread spends in `action`: what it takes, whatever else the machine does. */
export function cpuMs(action: () => void): number {
  const before = process.threadCpuUsage();
  action();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
