// Keys that belong to a text.

/** True if a key goes into a text that the reader writes. A shadow tree hides its own elements. */
export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof Element && target.matches("input, textarea, select, [contenteditable='true']")
  );
}
