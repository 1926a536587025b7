// A sentence in which code stands between backticks and a name between asterisks.

/** Parts of a sentence: code, a name, or plain words. */
const PART = /`[^`]+`|\*[^*\s][^*]*\*/g;

export function Words({ of: text }: { of: string }) {
  const parts = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(PART)) {
    parts.push(text.slice(from, index));
    const inside = found.slice(1, -1);
    parts.push(found.startsWith("`") ? <code>{inside}</code> : <i>{inside}</i>);
    from = index + found.length;
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
}
