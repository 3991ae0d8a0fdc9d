/**
 * Takes away the service workers that another server of this port left in the browser, a development
 * server for example: they see and change all that the page asks for. Resolves with whether the page
 * has to be loaded again to be rid of them. One that never lets this page through is beyond its reach.
 */
export async function removeServiceWorkers(
  find: () => Pick<ServiceWorkerContainer, 'controller' | 'getRegistrations'> | undefined,
): Promise<boolean> {
  try {
    const container = find();
    if (container === undefined) return false;
    const registrations = await container.getRegistrations();
    const removed = await Promise.all(registrations.map((each) => each.unregister()));
    // Loaded again only where that helps: else it would go on for ever.
    return container.controller !== null && removed.length > 0 && removed.every(Boolean);
  } catch {
    return false;
  }
}
