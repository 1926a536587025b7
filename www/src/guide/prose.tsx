// The texts of exercises. Nothing in them becomes markup: `**bold**`, `_italic_`, paragraphs, and
// lines that begin with `* ` as a list.

/** Shows a text with the marks that exercises have. */
export function Prose({ text }: { text: string }) {
  const blocks = text.split(/\n\s*\n/).filter((block) => block.trim() !== "");
  return (
    <>
      {blocks.map((block, at) => {
        const lines = block.trim().split("\n");
        return lines.every((line) => line.startsWith("* ")) ? (
          <ul key={at}>
            {lines.map((line) => (
              <li key={line}>
                <Marked text={line.slice(2)} />
              </li>
            ))}
          </ul>
        ) : (
          <p key={at}>
            <Marked text={block.trim()} />
          </p>
        );
      })}
    </>
  );
}

function Marked({ text }: { text: string }) {
  const parts = text.split(/(\*\*[^*]+\*\*|(?<![\w_])_[^_]+_(?![\w_]))/);
  return (
    <>
      {parts.map((part, at) =>
        part.startsWith("**") && part.endsWith("**") && part.length > 4 ? (
          <b key={at}>{part.slice(2, -2)}</b>
        ) : part.startsWith("_") && part.endsWith("_") && part.length > 2 ? (
          <i key={at}>{part.slice(1, -1)}</i>
        ) : (
          part
        ),
      )}
    </>
  );
}
