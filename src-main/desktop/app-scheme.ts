/** The scheme the desktop serves itself under: a real origin, unlike file://, and reachable by no other program. */

export const APP_SCHEME = 'app';
export const APP_ORIGIN = `${APP_SCHEME}://stalltrace`;
export const APP_URL = `${APP_ORIGIN}/index.html`;

/** Whether `url` is the app's one page; its fragment is the page's own business. */
export function isAppPage(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href === APP_URL;
}
