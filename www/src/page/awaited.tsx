// Asks for the file that a link is about.
import { useRef } from "preact/hooks";
import { LOGS } from "../files/logs";
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
          The author of the link had not confirmed the machine's size: {count(found.rest.guessed)}{" "}
          processors is a guess.
        </p>
      )}
      <p>
        This link needs the trace <b>{found.name}</b>. No link contains a trace. Choose or drop your
        copy, whose SHA-256 must begin with <code>{found.sha256.slice(0, 12)}</code>.
      </p>
      {found.conf && <p>{found.conf.name} is kept until the trace is there.</p>}
      <input
        ref={input}
        type="file"
        hidden
        aria-label="The link's file"
        accept={LOGS}
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
          Continue without it
        </button>
      </div>
    </section>
  );
}
