/**
 * Calls `listener` each time that an element appears or disappears: another tab of the sidebar or of the browser is selected, or
 * the sidebar is closed.
 * @returns a function that stops this.
 */
export function onVisibility(element: Element, listener: (isVisible: boolean) => void): () => void {
  let isOnScreen = false;
  let wasVisible = false;
  const update = () => {
    const isVisible = isOnScreen && document.visibilityState === 'visible';
    if (isVisible === wasVisible) return;
    wasVisible = isVisible;
    listener(isVisible);
  };
  const observer = new IntersectionObserver((entries) => {
    isOnScreen = entries.at(-1)?.isIntersecting === true;
    update();
  });
  observer.observe(element);
  document.addEventListener('visibilitychange', update);
  return () => {
    observer.disconnect();
    document.removeEventListener('visibilitychange', update);
    isOnScreen = false;
    update();
  };
}
