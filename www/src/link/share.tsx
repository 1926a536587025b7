// The button that shares a link to the present state of the page.

import { signal } from "@preact/signals";
import { Share2 } from "lucide";
import { copy } from "../files/clipboard";
import { asProblem } from "../format/problem";
import { sentence } from "../runs/sentence";
import { doubted } from "../runs/size";
import * as s from "../state";
import { Icon } from "../ui/icon";
import { LONGEST } from "./format";
import { link } from "./here";

const said = signal("");

export async function share(): Promise<void> {
  let url: string;
  try {
    url = await link();
  } catch (error) {
    return void s.tell(asProblem(error));
  }
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
  said.value = `${done}${note}${guess}`;
  s.say(said.value);
  setTimeout(() => (said.value = ""), 8000);
}

/** Copies the code that shows this view inside another page. */
export async function shareFrame(): Promise<void> {
  try {
    const url = new URL(await link());
    const place = new URL("embed.html", url);
    place.hash = url.hash;
    const title = sentence().replace(/[&"<>]/g, "");
    const isCopied = await copy(
      `<iframe src="${place}" title="${title}" width="100%" height="480" loading="lazy" style="border: 0"></iframe>`,
    );
    said.value = isCopied ? "The code for a frame is copied." : "The browser lets no page copy.";
  } catch (error) {
    return void s.tell(asProblem(error));
  }
  s.say(said.value);
  setTimeout(() => (said.value = ""), 8000);
}

export function Share() {
  return (
    <span class="share-link">
      <button type="button" title="Copy a link to this view" onClick={() => void share()}>
        <Icon of={Share2} /> <span class="label">Share</span>
      </button>
      {said.value && (
        <span class="said" role="status">
          {said.value}
        </span>
      )}
    </span>
  );
}
