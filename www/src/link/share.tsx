// Sharing: a link to what is shown, and the file that somebody's link is about.
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { asProblem, count } from "../format";
import { doubted } from "../size";
import * as s from "../state";
import { LONGEST } from "./format";
import { awaited, give, link } from "./link";

const said = signal("");

export async function share(): Promise<void> {
  let url: string;
  try {
    url = await link();
  } catch (error) {
    return void (s.problem.value = asProblem(error));
  }
  const isFile = s.source.value?.kind === "file";
  const hasDemands = s.source.value?.demands !== undefined;
  const note = hasDemands
    ? " The table of demands is not in it."
    : url.length > LONGEST
      ? " It is very long: some programs may cut it."
      : isFile
        ? " The trace is not in it: whoever opens it is asked for the same file."
        : "";
  const guess = doubted.value ? " The machine's size in it is a guess." : "";
  try {
    await navigator.clipboard.writeText(url);
    said.value = `The link is copied.${note}${guess}`;
  } catch {
    said.value = `Copy the link from the address bar.${note}${guess}`;
  }
  s.spoken.value = said.value;
  setTimeout(() => (said.value = ""), 8000);
}

export function Share() {
  return (
    <span class="share-link">
      <button type="button" onClick={() => void share()}>
        Share
      </button>
      {said.value && (
        <span class="said" role="status">
          {said.value}
        </span>
      )}
    </span>
  );
}

/** Asks for the file that a link is about. */
export function Awaited() {
  const input = useRef<HTMLInputElement>(null);
  const found = awaited.value;
  if (!found) return null;
  return (
    <section class="banner" aria-label="The link's file">
      {found.rest.guessed !== undefined && (
        <p>
          Whoever made the link had not confirmed the machine's size: {count(found.rest.guessed)}{" "}
          processors are a guess.
        </p>
      )}
      <p>
        This link is about the trace <b>{found.name}</b>, which is in no link: a trace stays with
        whoever has it. Choose or drop your copy of it; its SHA-256 must begin with{" "}
        <code>{found.sha256.slice(0, 12)}</code>.
      </p>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="The link's file"
        accept=".swf,.gz,.txt"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void give(file);
          event.currentTarget.value = "";
        }}
      />
      <div class="buttons">
        <button type="button" class="primary" onClick={() => input.current?.click()}>
          Choose the file…
        </button>
        <button type="button" onClick={() => (awaited.value = undefined)}>
          Go on without it
        </button>
      </div>
    </section>
  );
}
