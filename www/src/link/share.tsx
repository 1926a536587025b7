// The button that shares a link to the present state of the page.

import { signal } from "@preact/signals";
import { Share2 } from "lucide";
import { asProblem } from "../format/problem";
import * as s from "../state";
import { Icon } from "../ui/icon";
import type * as copying from "./copying";

const said = signal("");

/** Copies with code that loads now, and says what came of it. */
async function say(copy: (code: typeof copying) => Promise<string>): Promise<void> {
  try {
    said.value = await copy(await import("./copying"));
  } catch (error) {
    return void s.tell(asProblem(error));
  }
  s.say(said.value);
  setTimeout(() => (said.value = ""), 8000);
}

export const share = (): Promise<void> => say(({ copyLink }) => copyLink());

/** Copies the code that shows this view inside another page. */
export const shareFrame = (): Promise<void> => say(({ copyFrame }) => copyFrame());

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
