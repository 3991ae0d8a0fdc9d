/** Where Electron's packagers put what is no part of app.asar: SQLite and the system read files, not archives. */
export function outsideArchive(path: string): string {
  return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked');
}
