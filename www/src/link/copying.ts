// Copies what is shared: the link to the present state, and the code of a frame with it. Both return
// what is said then.
import { copy } from "../files/clipboard";
import { sentence } from "../runs/sentence";
import { doubted } from "../runs/size";
import * as s from "../state";
import { LONGEST } from "./format";
import { link } from "./here";

export async function copyLink(): Promise<string> {
  const url = await link();
  const isFile = s.source.value?.kind === "file";
  const hasDemands = s.source.value?.demands !== undefined;
  const note = hasDemands
    ? " It does not contain the table of demands."
    : url.length > LONGEST
      ? " It is very long, and some programs may cut it."
      : isFile
        ? " It does not contain the trace: the page asks its readers for the same file."
        : "";
  const guess = doubted.value ? " The machine's size in it is a guess." : "";
  const done = (await copy(url)) ? "The link is copied." : "Copy the link from the address bar.";
  return `${done}${note}${guess}`;
}

/** Copies the code that shows this view inside another page. */
export async function copyFrame(): Promise<string> {
  const url = new URL(await link());
  const place = new URL("embed.html", url);
  place.hash = url.hash;
  const title = sentence().replace(/[&"<>]/g, "");
  const isCopied = await copy(
    `<iframe src="${place}" title="${title}" width="100%" height="480" loading="lazy" style="border: 0"></iframe>`,
  );
  return isCopied ? "The code for a frame is copied." : "The browser lets no page copy.";
}
