// Asks for the file that a link is about.
import { useRef } from "preact/hooks";
import { count } from "../format/words";
import { awaited, give, goOnWithout } from "./arrive";

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
        <button type="button" onClick={goOnWithout}>
          Go on without it
        </button>
      </div>
    </section>
  );
}
