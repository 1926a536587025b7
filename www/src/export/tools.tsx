// Buttons that save a picture, as PNG and as SVG.
import type { Figure } from "../files/picture";
import { saveBlob, stem } from "../files/save";
import { asProblem } from "../format/problem";
import { origin } from "../runs/origin";
import * as s from "../state";
import { styled } from "../ui/canvas";

export const colours = (): Figure["colours"] => ({
  ink: styled("--ink"),
  paper: styled("--lane"),
  line: styled("--line"),
});

/** Returns the origin of the pictures of the open trace. */
export const caption = (more: string): string =>
  `${more}${more ? ". " : ""}${s.workload.value ? origin(s.workload.value.provenance) : ""}`;

/** Returns a figure of the content of a canvas. */
export function figureOfCanvas(canvas: HTMLCanvasElement, title: string, more: string): Figure {
  const { width, height } = canvas.getBoundingClientRect();
  const legend = s.legend.value;
  return {
    title,
    caption: caption(more),
    width,
    panels: [{ name: "", height, image: { url: canvas.toDataURL() } }],
    ...(legend ? { legend } : {}),
    colours: colours(),
  };
}

/** Buttons for PNG and SVG of a picture. The code that makes the files loads on the first click. */
export function PictureTools({
  title,
  of,
  isOff = false,
}: {
  title: string;
  of: () => Figure | undefined | Promise<Figure | undefined>;
  isOff?: boolean;
}) {
  const save = async (kind: "svg" | "png") => {
    try {
      const { png, svgOf } = await import("../files/picture");
      const figure = await of();
      if (!figure) return;
      const svg = svgOf(figure);
      saveBlob(
        kind === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await png(svg),
        `${stem(figure.title)}.${kind}`,
      );
    } catch (error) {
      s.tell(asProblem(error));
    }
  };
  return (
    <>
      <button
        type="button"
        class="small"
        disabled={isOff}
        aria-label={`${title} as PNG`}
        onClick={() => void save("png")}
      >
        PNG
      </button>
      <button
        type="button"
        class="small"
        disabled={isOff}
        aria-label={`${title} as SVG`}
        onClick={() => void save("svg")}
      >
        SVG
      </button>
    </>
  );
}
