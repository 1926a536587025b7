// The questions of an exercise that is being made, each with its right answer from the runs.
import { Plus, Trash2 } from "lucide";
import { LIMITS } from "../engine/limits";
import * as s from "../state";
import { changeChapter, editing, remove } from "../teach/editing";
import { type Question, stageOf, type TIMES } from "../teach/format";
import { type Asks, type Field, KINDS, kindOf, made, USUAL } from "../teach/kinds";
import { Icon } from "../ui/icon";

export function Questions() {
  const { exercise, at } = editing.value!;
  const chapter = exercise.chapters[at]!;
  const questions = chapter.questions ?? [];
  const set = (index: number, question: Question) =>
    changeChapter({ questions: questions.with(index, question) });
  return (
    <fieldset>
      <legend>Questions</legend>
      {questions.map((question, index) => (
        <QuestionForm
          key={index}
          question={question}
          index={index}
          onChange={(changed) => set(index, changed)}
          drop={() =>
            remove(`Question ${index + 1} was removed.`, {
              ...exercise,
              chapters: exercise.chapters.with(at, {
                ...chapter,
                questions: questions.toSpliced(index, 1),
              }),
            })
          }
        />
      ))}
      <button
        type="button"
        class="small"
        disabled={questions.length >= LIMITS.exercise_questions}
        onClick={() => changeChapter({ questions: [...questions, made("time", USUAL)] })}
      >
        <Icon of={Plus} /> Add a question
      </button>
    </fieldset>
  );
}

function QuestionForm({
  question,
  index,
  onChange,
  drop,
}: {
  question: Question;
  index: number;
  onChange: (question: Question) => void;
  drop: () => void;
}) {
  const kind = kindOf(question);
  const found = editing.value!.answers[index];
  return (
    <fieldset class="editor-question">
      <legend>Question {index + 1}</legend>
      <div class="bar">
        <select
          aria-label={`Kind of question ${index + 1}`}
          value={kind?.id ?? ""}
          onChange={(event) =>
            onChange(made(event.currentTarget.value, kind?.asks ?? USUAL, question))
          }
        >
          {!kind && <option value="">Custom rule</option>}
          {Object.entries(KINDS).map(([id, { name }]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="bare icon-only small"
          aria-label={`Remove question ${index + 1}`}
          onClick={drop}
        >
          <Icon of={Trash2} />
        </button>
      </div>
      {kind ? (
        <div class="editor-fields">
          {KINDS[kind.id]!.fields(kind.asks).map((field) => (
            <AskField
              key={field}
              field={field}
              asks={kind.asks}
              onChange={(more) => onChange(made(kind.id, { ...kind.asks, ...more }, question))}
            />
          ))}
        </div>
      ) : (
        <p class="quiet">The form cannot edit the rule of this question, and keeps it as it is.</p>
      )}
      <label>
        Question
        <textarea
          rows={2}
          value={question.ask}
          onInput={(event) => onChange({ ...question, ask: event.currentTarget.value })}
        />
      </label>
      <label>
        Explanation, shown with the answer
        <textarea
          rows={2}
          value={question.told ?? ""}
          onInput={(event) => onChange({ ...question, told: event.currentTarget.value })}
        />
      </label>
      {found && (
        <p class={found.isFault ? "notice bad" : "editor-answer"}>
          {found.isFault ? found.words : <>Answer: {found.words}</>}
        </p>
      )}
    </fieldset>
  );
}

const SETS: Record<Asks["set"], string> = {
  starting: "start at an instant",
  waiting: "wait at an instant",
  running: "run at an instant",
  backfilled: "are backfilled",
  earlier: "start earlier than in another run",
  later: "start later than in another run",
};

const TIME_NAMES: Record<(typeof TIMES)[number], string> = {
  start: "start",
  end: "end",
  wait: "wait",
  response: "response",
  slowdown: "slowdown",
};

function AskField({
  field,
  asks,
  onChange,
}: {
  field: Field;
  asks: Asks;
  onChange: (more: Partial<Asks>) => void;
}) {
  const { exercise, at } = editing.value!;
  const { jobs, runs } = stageOf(exercise, at);
  const letters = runs.map((_, index) => s.letter(index));
  const choose = (name: string, options: readonly (readonly [string, string])[]) => (
    <label>
      {name}
      <select
        value={String(asks[field])}
        onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      >
        {!options.some(([value]) => value === asks[field]) && (
          <option value={String(asks[field])}>{String(asks[field])}</option>
        )}
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
  const number = (name: string) => (
    <label>
      {name}
      <input
        type="number"
        min={0}
        step={field === "within" ? "any" : 1}
        value={String(asks[field])}
        onInput={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (Number.isFinite(value) && value >= 0) onChange({ [field]: value });
        }}
      />
    </label>
  );
  switch (field) {
    case "job":
      return (
        <label>
          Job
          <select
            value={asks.job}
            onChange={(event) => onChange({ job: Number(event.currentTarget.value) })}
          >
            {asks.job > jobs.length && <option value={asks.job}>{asks.job}</option>}
            {jobs.map((_, index) => (
              <option key={index} value={index + 1}>
                {index + 1}
              </option>
            ))}
          </select>
        </label>
      );
    case "run":
      return choose(
        "Run",
        letters.map((letter) => [letter, letter] as const),
      );
    case "than":
      return choose(
        "Compared with run",
        letters.map((letter) => [letter, letter] as const),
      );
    case "time":
      return choose("Value", Object.entries(TIME_NAMES));
    case "set":
      return choose("Jobs that", Object.entries(SETS));
    case "figure":
      return choose(
        "Figure",
        s.RANKINGS.map(({ key, phrase }) => [key, phrase] as const),
      );
    case "at":
      return number("At, s");
    case "within":
      return number("Margin");
    case "options":
      return <Options asks={asks} onChange={(options) => onChange({ options })} />;
  }
}

function Options({
  asks: { options },
  onChange,
}: {
  asks: Asks;
  onChange: (options: Asks["options"]) => void;
}) {
  return (
    <div class="editor-options">
      {options.map((option, index) => (
        <div key={index}>
          <input
            type="checkbox"
            aria-label={`Option ${index + 1} is right`}
            checked={option.right ?? false}
            onChange={(event) =>
              onChange(
                options.with(index, {
                  text: option.text,
                  ...(event.currentTarget.checked ? { right: true } : {}),
                }),
              )
            }
          />
          <input
            type="text"
            aria-label={`Option ${index + 1}`}
            maxLength={LIMITS.name_bytes}
            value={option.text}
            onInput={(event) =>
              onChange(options.with(index, { ...option, text: event.currentTarget.value }))
            }
          />
          {options.length > 2 && (
            <button
              type="button"
              class="bare icon-only small"
              aria-label={`Remove option ${index + 1}`}
              onClick={() => onChange(options.toSpliced(index, 1))}
            >
              <Icon of={Trash2} />
            </button>
          )}
        </div>
      ))}
      <button
        type="button"
        class="small"
        disabled={options.length >= LIMITS.exercise_questions}
        onClick={() => onChange([...options, { text: "" }])}
      >
        <Icon of={Plus} /> Add an option
      </button>
      <p class="quiet">Mark every right option. The page cannot check it.</p>
    </div>
  );
}
