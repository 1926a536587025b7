// The one search field of the page: jobs by number, filters, and commands by name.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { pending } from "../engine/rest";
import { filterBy, wanted } from "../explore/filter";
import { fail } from "../lab";
import { isTyping } from "../ui/typing";
import type { Command } from "./commands";
import type * as suggest from "./suggest";

/** Number of suggestions that are listed. */
const LISTED = 14;

const own = { suggestions: signal<typeof suggest.suggestions | undefined>(undefined) };

/** Loads the code that knows the meanings of a text, which few readers need at once. */
async function load(): Promise<typeof suggest.suggestions> {
  own.suggestions.value ??= (await pending(import("./suggest"))).suggestions;
  return own.suggestions.value;
}

export function Search({ open }: { open: () => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const text = useSignal("");
  const isOpen = useSignal(false);
  const at = useSignal(0);
  /** The element that had the focus before a key moved it here. It gets the focus back. */
  const cameFrom = useRef<Element | null>(null);
  /** Puts a completed text into the field, which stays open. */
  const write = (completed: string) => {
    text.value = completed;
    at.value = 0;
    isOpen.value = true;
    input.current?.focus();
  };
  const { value: suggestions } = own.suggestions;
  const listed =
    isOpen.value && suggestions ? suggestions(text.value, open, write).slice(0, LISTED) : [];
  useEffect(() => void (text.value = wanted.value), [wanted.value]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (
        !isPalette &&
        (event.key !== "/" || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey)
      )
        return;
      event.preventDefault();
      if (document.activeElement !== input.current) cameFrom.current = document.activeElement;
      if (isPalette) text.value = "";
      at.value = 0;
      isOpen.value = true;
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const take = (command: Command | undefined) => {
    if (!command) return;
    if (command.isCompletion) return command.run();
    isOpen.value = false;
    // The typed text has done its work. A filter stays.
    text.value = "";
    command.run();
    text.value = wanted.value;
    leave();
  };
  const leave = () => {
    if (
      cameFrom.current instanceof HTMLElement &&
      cameFrom.current.isConnected &&
      cameFrom.current !== document.body
    )
      cameFrom.current.focus({ preventScroll: true });
    else input.current?.blur();
    cameFrom.current = null;
  };
  /** Takes what is marked in the list, or the likeliest meaning while no list is open. */
  const enter = async () => {
    if (text.value.trim() === "" && wanted.value !== "")
      return take({ name: "", run: () => filterBy("") });
    const [asked, chosen] = [text.value, isOpen.value ? at.value : 0];
    const suggestions = await load();
    // The reader may have gone on while the code loaded.
    if (text.value !== asked || document.activeElement !== input.current) return;
    take(suggestions(asked, open, write)[chosen]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && listed.length > 0) at.value = (at.value + move + listed.length) % listed.length;
    else if (move) isOpen.value = true;
    else if (event.key === "Enter") enter().catch(fail);
    else if (event.key === "Escape" && isOpen.value) isOpen.value = false;
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  };
  const onInput = (event: { currentTarget: HTMLInputElement }) => {
    text.value = event.currentTarget.value;
    isOpen.value = true;
    at.value = 0;
  };
  return (
    <div class="search">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search jobs, users, commands"
        aria-expanded={isOpen.value}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={listed.length > 0 ? `${id}-${at.value}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="Search jobs, users, commands   /"
        value={text.value}
        onInput={onInput}
        onKeyDown={onKeyDown}
        onClick={() => (isOpen.value = true)}
        onFocus={() => void load().catch(fail)}
        onBlur={() => (isOpen.value = false)}
      />
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label="Suggestions"
        hidden={!isOpen.value || listed.length === 0}
      >
        {listed.map((command, place) => (
          // The list reacts to the press, not to the click, because the field must keep the focus.
          <li
            key={command.name}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === at.value}
            onPointerDown={(event) => {
              event.preventDefault();
              take(command);
            }}
          >
            {command.name}
            {command.keys && <kbd>{command.keys}</kbd>}
          </li>
        ))}
      </ul>
      {isOpen.value && suggestions && listed.length === 0 && (
        <p class="search-help">
          No match. A filter has words such as{" "}
          <code>user:7 size&gt;64 wait&gt;1h -class:short</code>.
        </p>
      )}
    </div>
  );
}
