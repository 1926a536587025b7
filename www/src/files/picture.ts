// Pictures as standalone files, with title, axis, legend and caption.

/**
 * A panel of a figure: the content of a canvas, or marks of its own. Panels stand one below the
 * other.
 */
export interface Panel {
  name: string;
  /** Size in the figure's own units, which are CSS pixels. */
  height: number;
  image?: { url: string };
  /** SVG with coordinates from 0 to the figure's inner width and the panel's height. */
  marks?: string;
}

export interface Figure {
  title: string;
  /** Origin of the figures: trace, hash, seed, version. */
  caption: string;
  /** Marks that cross all panels. */
  width: number;
  panels: Panel[];
  /** Marks below the panels. */
  ticks?: { at: number; label: string }[];
  legend?: { title: string; entries: { label: string; colour: string }[] };
  colours: { ink: string; paper: string; line: string };
}

export const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[mark]!,
  );

/** Splits a text into lines of at most `most` letters, if words allow it. */
export function wrapped(text: string, length: number): string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1)!.length + word.length > length) lines.push("");
    lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}

/** The names of panels stand above them. */
const NAME = 18;

const EDGE = 12;

/** Returns a figure as SVG. It contains canvases as pictures. */
export function svgOf({
  title,
  caption,
  width,
  panels,
  ticks = [],
  legend,
  colours,
}: Figure): string {
  const { ink, paper, line } = colours;
  const parts: string[] = [];
  let below = 30;
  for (const { name, height, image, marks } of panels) {
    if (name)
      parts.push(`<text x="${EDGE}" y="${below + 12}" font-size="12">${escaped(name)}</text>`);
    below += name ? NAME : 0;
    parts.push(
      `<svg x="${EDGE}" y="${below}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    );
    if (image)
      parts.push(
        `<image href="${image.url}" width="${width}" height="${height}" preserveAspectRatio="none"/>`,
      );
    parts.push(
      marks ?? "",
      "</svg>",
      `<rect x="${EDGE}" y="${below}" width="${width}" height="${height}" fill="none" stroke="${line}"/>`,
    );
    below += height + 6;
  }
  for (const { at, label } of ticks)
    parts.push(
      `<path d="M${EDGE + at} ${below - 6}v6" stroke="${line}"/><text x="${EDGE + at + 3}" y="${below + 8}" font-size="11">${escaped(label)}</text>`,
    );
  below += ticks.length > 0 ? 18 : 0;
  if (legend) {
    let [across, row] = [EDGE, 0];
    const put = (room: number) => {
      if (across + room > width + EDGE && across > EDGE) [across, row] = [EDGE, row + 1];
      const at = { x: across, y: below + 12 + 18 * row };
      across += room;
      return at;
    };
    const head = put(14 + 6.6 * legend.title.length);
    parts.push(`<text x="${head.x}" y="${head.y}" font-size="11">${escaped(legend.title)}</text>`);
    for (const { label, colour } of legend.entries) {
      const { x, y } = put(30 + 6.6 * label.length);
      parts.push(
        `<rect x="${x}" y="${y - 9}" width="10" height="10" fill="${colour}"/><text x="${x + 14}" y="${y}" font-size="11">${escaped(label)}</text>`,
      );
    }
    below += 18 * (row + 1) + 4;
  }
  const lines = wrapped(caption, Math.max(40, Math.floor(width / 5.6)));
  for (const [at, text] of lines.entries())
    parts.push(
      `<text x="${EDGE}" y="${below + 12 + 14 * at}" font-size="10">${escaped(text)}</text>`,
    );
  const [across, down] = [width + 2 * EDGE, Math.ceil(below + 14 * lines.length + 10)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${across}" height="${down}" viewBox="0 0 ${across} ${down}" fill="${ink}" font-family="system-ui, sans-serif" font-size="12"><title>${escaped(title)}</title><desc>${escaped(caption)}</desc><rect width="${across}" height="${down}" fill="${paper}"/><text x="${EDGE}" y="20" font-size="14" font-weight="600">${escaped(title)}</text>${parts.join("")}</svg>`;
}

/** Returns SVG as PNG, at twice its size. */
export async function png(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error("the picture could not be drawn"));
      image.src = url;
    });
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("no picture"))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
