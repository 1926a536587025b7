// A question of a chapter as a form, and its answer.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { count, counted } from "../format/words";
import { type Asked, isRight, verdict } from "../teach/questions";
import { answer } from "../teach/tour";
import { Prose } from "./prose";

/** Returns a number without commas between thousands, which the page writes, and with a point. */
const plainNumber = (text: string): string =>
  /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text.replace(",", ".");

export function Question({ asked, number }: { asked: Asked; number: number }) {
  const chosen = useSignal<readonly number[]>([]);
  /** Reads a number as the reader types it. */
  const typed = useSignal("");
  const isWrong = useSignal(false);
  const told = useRef<HTMLDivElement>(null);
  const { question, given } = asked;
  const { answer: wanted } = question;
  const name = `question-${number}`;
  const shown = given ?? chosen.value;
  const only = (value: number) => (chosen.value = [value]);
  const toggle = (job: number) => {
    const others = chosen.value.filter((each) => each !== job);
    chosen.value = others.length < chosen.value.length ? others : [...others, job];
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (wanted.kind !== "number") return void answer(number, chosen.value);
    const text = plainNumber(typed.value.trim());
    const value = Number(text);
    isWrong.value = text !== "" && !Number.isFinite(value);
    if (!isWrong.value) void answer(number, text === "" ? [] : [value]);
  };
  // The focus, and with it a screen reader, moves to the answer, and at once.
  const wasGiven = useRef(given !== undefined);
  useLayoutEffect(() => {
    // An answer that was there before this form takes no focus.
    if (!given || wasGiven.current) return;
    told.current?.focus({ preventScroll: true });
    told.current?.scrollIntoView({ block: "nearest" });
  }, [given !== undefined]);
  return (
    <form onSubmit={submit}>
      <fieldset disabled={given !== undefined}>
        <legend>{question.ask}</legend>
        {wanted.kind === "choice" &&
          wanted.options.map((option, value) => (
            <label key={value}>
              <input
                type="radio"
                name={name}
                checked={shown.includes(value)}
                onChange={() => only(value)}
              />{" "}
              {option}
            </label>
          ))}
        {wanted.kind === "jobs" &&
          wanted.jobs.map((job) => (
            <label key={job.number}>
              <input
                type="checkbox"
                checked={shown.includes(job.number)}
                onChange={() => toggle(job.number)}
              />{" "}
              Job {job.number}: {counted(job.processors, "processor")} for {count(job.estimate)} s
            </label>
          ))}
        {wanted.kind === "number" && (
          <label class="inline">
            <span class="unseen">{question.ask}</span>{" "}
            <input
              type="text"
              inputMode="decimal"
              autocomplete="off"
              aria-invalid={isWrong.value}
              value={typed.value}
              onInput={(event) => (typed.value = event.currentTarget.value)}
            />{" "}
            {wanted.unit}
          </label>
        )}
        {isWrong.value && (
          <p class="notice bad" role="alert">
            “{typed.value}” is not a number.
          </p>
        )}
      </fieldset>
      {!given && (
        <div class="buttons">
          <button type="submit" class="primary">
            Reveal
          </button>{" "}
          <span class="quiet">
            {wanted.kind === "jobs"
              ? "If no job fits, select none."
              : "You can reveal the answer without answering."}
          </span>
        </div>
      )}
      {given && (
        <div ref={told} class="answer" tabIndex={-1}>
          <p class={isRight(asked) ? "verdict right" : "verdict"}>{verdict(asked)}</p>
          <Prose text={question.told} />
        </div>
      )}
    </form>
  );
}
