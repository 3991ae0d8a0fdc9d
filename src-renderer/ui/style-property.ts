/**
 * An attachment that sets one CSS property through the CSSOM: the page's Content-Security-Policy
 * forbids style attributes.
 */
export function styleProperty(name: string, value: string): (element: HTMLElement) => void {
  return (element) => element.style.setProperty(name, value);
}
