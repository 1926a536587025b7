// The one search field of the page: jobs by number, filters, and commands by name.

import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { ask } from "../engine/workers";
import { filterBy, wanted } from "../explore/filter";
import { select } from "../lab";
import * as s from "../state";
import { isTyping } from "../ui/typing";
import { type Command, commands } from "./commands";
import { completions } from "./complete";

/** Number of suggestions that are listed. */
const LISTED = 14;

async function findJob(number: number): Promise<void> {
  const lane = s.lanes.value.find((lane) => lane.facts && lane.hand);
  const job = lane?.hand
    ? await ask(lane.hand, (engine) => engine.findJob(number)).catch(() => null)
    : null;
  s.say(job ? `Selected job ${number}.` : `Job ${number} is not in these runs.`);
  if (job) await select(job.record);
}

/** Returns the possible meanings of a text, the likeliest first. */
function suggestions(text: string, open: () => void, write: (text: string) => void): Command[] {
  const trimmed = text.trim();
  const found: Command[] = [];
  if (/^\d+$/.test(trimmed)) {
    found.push({ name: `Select job ${trimmed}`, run: () => void findJob(Number(trimmed)) });
    found.push({
      name: `Dim all but jobs of user ${trimmed}`,
      run: () => filterBy(`user:${trimmed}`),
    });
  } else if (/[:=<>~]/.test(trimmed))
    found.push({ name: `Dim all but ${trimmed}`, run: () => filterBy(trimmed) });
  const words = trimmed.toLowerCase().split(/\s+/);
  const matching = commands(open).filter(
    ({ name, isOff }) => !isOff && words.every((word) => name.toLowerCase().includes(word)),
  );
  const completed = completions(text, write);
  // A text with an operator is a filter rather than the name of a command.
  return found.length > 0 ? [...found, ...completed, ...matching] : [...matching, ...completed];
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
  const found = isOpen.value ? suggestions(text.value, open, write) : [];
  const listed = found.slice(0, LISTED);
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
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && listed.length > 0) at.value = (at.value + move + listed.length) % listed.length;
    else if (move) isOpen.value = true;
    else if (event.key === "Enter") {
      if (text.value.trim() === "" && wanted.value !== "")
        take({ name: "", run: () => filterBy("") });
      else if (isOpen.value) take(listed[at.value]);
      else take(suggestions(text.value, open, write)[0]);
    } else if (event.key === "Escape" && isOpen.value) isOpen.value = false;
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
      {isOpen.value && listed.length === 0 && (
        <p class="search-help">
          No match. A filter has words such as{" "}
          <code>user:7 size&gt;64 wait&gt;1h -class:short</code>.
        </p>
      )}
    </div>
  );
}
