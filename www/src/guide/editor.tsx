// The form in which an exercise is made: texts, jobs, runs and questions.
import { useSignal } from "@preact/signals";
import { Plus, Trash2 } from "lucide";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { LIMITS } from "../engine/limits";
import { saveBlob, stem } from "../files/save";
import { fail } from "../lab";
import { share } from "../link/share";
import { Fields } from "../settings/fields";
import * as s from "../state";
import {
  change,
  changeChapter,
  editing,
  leaveEditor,
  remove,
  removeJob,
  removeRun,
  tryOut,
} from "../teach/editing";
import { type Chapter, type Line, readExercise, stageOf } from "../teach/format";
import { Icon } from "../ui/icon";
import { Questions } from "./questions";

export function Editor() {
  const now = editing.value;
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus({ preventScroll: true }), []);
  if (!now) return null;
  const { exercise, at } = now;
  const chapter = exercise.chapters[at]!;
  const readable = `${JSON.stringify(exercise, null, 2)}\n`;
  const text = readable.length <= LIMITS.exercise_bytes ? readable : JSON.stringify(exercise);
  /** Does something with the exercise, unless its readers could not read it. */
  const checked = (act: () => void) => {
    try {
      readExercise(text);
      act();
    } catch (error) {
      fail(error);
    }
  };
  const save = () =>
    saveBlob(
      new Blob([text], { type: "application/json" }),
      `${stem(exercise.title) || "exercise"}.exercise.json`,
    );
  return (
    <section class="guide editor" aria-label="Make an exercise">
      <h2 ref={title} tabIndex={-1}>
        Make an exercise
      </h2>
      <p class="quiet">
        Draw or type a few jobs, choose policies, and ask. The right answers come from the runs.
      </p>
      {now.note && <p class="notice">{now.note}</p>}
      <label>
        Title
        <input
          type="text"
          maxLength={LIMITS.name_bytes}
          value={exercise.title}
          onInput={(event) => change({ ...exercise, title: event.currentTarget.value })}
        />
      </label>
      <Chapters />
      <label>
        Chapter's title
        <input
          type="text"
          maxLength={LIMITS.name_bytes}
          value={chapter.title}
          onInput={(event) => changeChapter({ title: event.currentTarget.value })}
        />
      </label>
      <label>
        Text
        <textarea
          rows={4}
          placeholder="What the students should know before they answer"
          value={chapter.text}
          onInput={(event) => changeChapter({ text: event.currentTarget.value })}
        />
      </label>
      <p class="quiet">
        Begin a paragraph with an empty line, and the entries of a list with <code>* </code>. Write{" "}
        <code>**bold**</code> and <code>_italic_</code>.
      </p>
      <Machine />
      <Jobs />
      <RunList />
      <Questions />
      <div class="buttons sticky">
        <button
          type="button"
          class="primary"
          disabled={stageOf(exercise, at).jobs.length === 0}
          onClick={() => void tryOut()}
        >
          Try it
        </button>
        <button type="button" onClick={() => checked(() => void share())}>
          Copy the link
        </button>
        <button type="button" onClick={() => checked(save)}>
          Save as a file
        </button>
        <span class="spring" />
        <button type="button" onClick={() => void leaveEditor()}>
          Leave
        </button>
      </div>
    </section>
  );
}

function Chapters() {
  const { exercise, at } = editing.value!;
  const { chapters } = exercise;
  const add = () =>
    change(
      {
        ...exercise,
        chapters: chapters.toSpliced(at + 1, 0, {
          title: "New chapter",
          text: "",
          runs: chapters[at]!.runs,
          hidden: chapters[at]!.runs.map(() => "all" as const),
          questions: [],
        }),
      },
      at + 1,
    );
  const drop = () => {
    // The chapters behind keep the jobs and the machine that they took over.
    const {
      name: _,
      runs: _r,
      ...stage
    } = stageOf(exercise, at + 1 < chapters.length ? at + 1 : at);
    remove(
      `Chapter ${at + 1} was removed.`,
      {
        ...exercise,
        chapters: chapters.flatMap((chapter, index) =>
          index === at ? [] : index === at + 1 ? [{ ...stage, ...chapter }] : [chapter],
        ),
      },
      Math.max(0, at - 1),
    );
  };
  return (
    <div class="buttons">
      <span>
        Chapter {at + 1} of {chapters.length}
      </span>
      {chapters.length > 1 && (
        <>
          <button
            type="button"
            class="small"
            disabled={at === 0}
            onClick={() => change(exercise, at - 1)}
          >
            Previous
          </button>
          <button
            type="button"
            class="small"
            disabled={at === chapters.length - 1}
            onClick={() => change(exercise, at + 1)}
          >
            Next
          </button>
          <button type="button" class="small" onClick={drop}>
            Remove chapter
          </button>
        </>
      )}
      <button
        type="button"
        class="small"
        disabled={chapters.length >= LIMITS.exercise_chapters}
        onClick={add}
      >
        <Icon of={Plus} /> Add a chapter
      </button>
    </div>
  );
}

function Machine() {
  const { exercise, at } = editing.value!;
  const { machine, settings, processors } = stageOf(exercise, at);
  const machines = s.catalog.value?.machines ?? [];
  const found = machines.find(({ id }) => id === machine);
  return (
    <fieldset>
      <legend>Machine</legend>
      <label>
        Model
        <select
          value={machine}
          onChange={(event) => changeChapter({ machine: event.currentTarget.value, settings: {} })}
        >
          {machines.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {!found?.sizes_itself && (
        <NumberField
          name="Processors"
          value={processors}
          least={1}
          onChange={(processors) => changeChapter({ processors })}
        />
      )}
      {found && found.params.length > 0 && (
        <details>
          <summary>Settings of the machine</summary>
          <Fields
            params={found.params}
            settings={settings}
            onChange={(settings) => changeChapter({ settings })}
          />
        </details>
      )}
    </fieldset>
  );
}

/** A field for a whole number. A text that is none stays until the focus leaves. */
function NumberField({
  name,
  value,
  least,
  isNameless = false,
  onChange,
}: {
  name: string;
  value: number | undefined;
  least: number;
  /** True if a table's heads show the name. */
  isNameless?: boolean;
  onChange: (value: number) => void;
}) {
  const id = useId();
  const draft = useSignal<string | undefined>(undefined);
  const shown = draft.value ?? (value === undefined ? "" : String(value));
  const input = (
    <input
      id={id}
      type="text"
      inputMode="numeric"
      autocomplete="off"
      aria-label={isNameless ? name : undefined}
      aria-invalid={draft.value !== undefined}
      title={draft.value === undefined ? "" : `A whole number, at least ${least}`}
      value={shown}
      onInput={(event) => {
        const text = event.currentTarget.value.trim();
        const number = Number(text);
        const isGood =
          text !== "" &&
          Number.isInteger(number) &&
          number >= least &&
          number <= LIMITS.exercise_number;
        draft.value = isGood ? undefined : event.currentTarget.value;
        if (isGood) onChange(number);
      }}
      onBlur={() => (draft.value = undefined)}
    />
  );
  return isNameless ? (
    input
  ) : (
    <div class="editor-number">
      <label for={id}>{name}</label>
      {input}
    </div>
  );
}

function Jobs() {
  const { exercise, at } = editing.value!;
  const { jobs, processors, machine } = stageOf(exercise, at);
  const isOwn = exercise.chapters[at]!.jobs !== undefined;
  const set = (index: number, more: Partial<Line>) =>
    changeChapter({ jobs: jobs.map((job, each) => (each === index ? { ...job, ...more } : job)) });
  const add = () => {
    const last = jobs.at(-1);
    changeChapter({
      jobs: [
        ...jobs,
        { arrives: last?.arrives ?? 0, processors: last?.processors ?? 1, runs: last?.runs ?? 60 },
      ],
    });
  };
  const isSized = s.catalog.value?.machines.find(({ id }) => id === machine)?.sizes_itself;
  return (
    <fieldset>
      <legend>Jobs</legend>
      {!isOwn && at > 0 && (
        <p class="quiet">
          These are the jobs of the chapter before. A change is for this chapter, and for those
          behind it that take over its jobs.
        </p>
      )}
      {jobs.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="The jobs">
          <table>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">Arrival, s</th>
                <th scope="col">Processors</th>
                <th scope="col">Run time, s</th>
                <th scope="col">Estimate, s</th>
                <th scope="col">
                  <span class="unseen">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {jobs.map((job, index) => (
                <tr key={index}>
                  <th scope="row">{index + 1}</th>
                  <td>
                    <NumberField
                      name={`Arrival of job ${index + 1}`}
                      isNameless
                      least={0}
                      value={job.arrives}
                      onChange={(arrives) => set(index, { arrives })}
                    />
                  </td>
                  <td>
                    <NumberField
                      name={`Processors of job ${index + 1}`}
                      isNameless
                      least={1}
                      value={job.processors}
                      onChange={(processors) => set(index, { processors })}
                    />
                  </td>
                  <td>
                    <NumberField
                      name={`Run time of job ${index + 1}`}
                      isNameless
                      least={1}
                      value={job.runs}
                      onChange={(runs) => set(index, { runs })}
                    />
                  </td>
                  <td>
                    <NumberField
                      name={`Estimate of job ${index + 1}`}
                      isNameless
                      least={1}
                      value={job.claims ?? job.runs}
                      onChange={(claims) => {
                        const { claims: _, ...rest } = job;
                        changeChapter({
                          jobs: jobs.with(index, claims === job.runs ? rest : { ...rest, claims }),
                        });
                      }}
                    />
                  </td>
                  <td>
                    <button
                      type="button"
                      class="bare icon-only small"
                      aria-label={`Remove job ${index + 1}`}
                      onClick={() => removeJob(index)}
                    >
                      <Icon of={Trash2} />
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!isSized && jobs.some((job) => job.processors > processors) && (
        <p class="notice bad" role="alert">
          {jobs
            .flatMap((job, index) =>
              job.processors > processors
                ? [`Job ${index + 1} asks for ${job.processors} of ${processors} processors.`]
                : [],
            )
            .slice(0, 3)
            .join(" ")}{" "}
          The runs leave out jobs that are larger than the machine.
        </p>
      )}
      <button
        type="button"
        class="small"
        disabled={jobs.length >= LIMITS.exercise_jobs}
        onClick={add}
      >
        <Icon of={Plus} /> Add a job
      </button>
    </fieldset>
  );
}

const HIDING = { all: "hidden from the start", from: "hidden from an instant on", none: "visible" };

function RunList() {
  const { exercise, at } = editing.value!;
  const chapter = exercise.chapters[at]!;
  const { machine } = stageOf(exercise, at);
  const { runs, hidden = runs.map(() => null) } = chapter;
  // An exercise does not hold the code of own policies.
  const policies = (s.catalog.value?.policies ?? []).filter(
    (policy) => policy.machines.includes(machine) && !s.isOwn(policy.id),
  );
  const put = (runs: Chapter["runs"], hidden: NonNullable<Chapter["hidden"]>) =>
    changeChapter({ runs, hidden });
  const hide = (index: number, value: number | "all" | null) =>
    put(
      runs,
      runs.map((_, each) => (each === index ? value : (hidden[each] ?? null))),
    );
  return (
    <fieldset>
      <legend>Runs</legend>
      {runs.map((run, index) => {
        const policy = s.policyNamed(run.policy);
        const from = hidden[index] ?? null;
        const letter = s.letter(index);
        return (
          <div class="editor-run" key={index}>
            <b>{letter}</b>
            <select
              aria-label={`Policy of run ${letter}`}
              value={run.policy}
              onChange={(event) =>
                put(
                  runs.with(index, { ...run, policy: event.currentTarget.value, settings: {} }),
                  hidden,
                )
              }
            >
              {!policies.some(({ id }) => id === run.policy) && (
                <option value={run.policy}>{policy?.name ?? run.policy}</option>
              )}
              {policies.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
            <select
              aria-label={`What is hidden of run ${letter}`}
              value={from === "all" ? "all" : from === null ? "none" : "from"}
              onChange={(event) =>
                hide(
                  index,
                  ({ all: "all", none: null, from: 0 } as const)[
                    event.currentTarget.value as "all"
                  ],
                )
              }
            >
              {Object.entries(HIDING).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
            {typeof from === "number" && (
              <NumberField
                name={`Hidden from, s (run ${letter})`}
                isNameless
                least={0}
                value={from}
                onChange={(from) => hide(index, from)}
              />
            )}
            {runs.length > 1 && (
              <button
                type="button"
                class="bare icon-only small"
                aria-label={`Remove run ${letter}`}
                onClick={() => removeRun(index)}
              >
                <Icon of={Trash2} />
              </button>
            )}
            {policy && policy.params.length > 0 && (
              <details>
                <summary>Settings of {policy.name}</summary>
                <Fields
                  params={policy.params}
                  settings={run.settings ?? {}}
                  machine={machine}
                  onChange={(settings) => put(runs.with(index, { ...run, settings }), hidden)}
                />
              </details>
            )}
          </div>
        );
      })}
      <button
        type="button"
        class="small"
        disabled={runs.length >= LIMITS.exercise_runs}
        onClick={() =>
          put(
            [
              ...runs,
              { policy: runs.some(({ policy }) => policy === "easy") ? "conservative" : "easy" },
            ],
            [...runs.map((_, each) => hidden[each] ?? null), "all"],
          )
        }
      >
        <Icon of={Plus} /> Add a run
      </button>
    </fieldset>
  );
}
