/** A storage that keeps nothing: whoever uses it has what it put there for as long as the page. */
const NOTHING: Storage = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
};

/** Where a browser forbids storage, the very name of it throws. */
function allowed(storage: () => Storage): Storage {
  try {
    return storage();
  } catch {
    return NOTHING;
  }
}

/** What a reload of this tab keeps, where the browser allows it. */
export const tabStorage = (): Storage => allowed(() => sessionStorage);
/** What all pages of this origin share, where the browser allows it. */
export const originStorage = (): Storage => allowed(() => localStorage);
