/** Nothing leaves a test: what would open in the browser is only written down. */
const opened: string[] = [];

export const shellDouble = {
  async openExternal(url: string): Promise<void> {
    opened.push(url);
  },
};

export function openedExternally(): readonly string[] {
  return opened;
}
