/** Keeps the event loop of this process busy for some milliseconds. */
export function blockEventLoop(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
