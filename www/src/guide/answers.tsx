// The answers of a class: a teacher chooses the students' files, and the page compares them with
// the right answers, which it simulates anew. No file leaves the browser.
import { useRef } from "preact/hooks";
import { figure } from "../format/words";
import { fail } from "../lab";
import * as s from "../state";
import { classes, closeClass, type Group, mark, readClass, type Student } from "../teach/answers";
import { inWords } from "../teach/questions";
import { DataTable } from "../ui/table";

export function ClassPage() {
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const found = classes.value;
  const read = (input: HTMLInputElement) => {
    const chosen = [...(input.files ?? [])];
    input.value = "";
    void readClass(chosen).catch(fail);
  };
  const close = () => {
    closeClass();
    s.goTo("timeline");
  };
  return (
    <section class="class-page" aria-label="Answers of a class">
      <div class="bar">
        <h2>Answers of a class</h2>
        <span class="spring" />
        <button type="button" class="small" onClick={close}>
          Close
        </button>
      </div>
      <p>
        Collect the files that your students saved at the end of an exercise, and choose them here.
        The right answers come from runs of the exercise on your computer. The files stay in your
        browser.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => folder.current?.click()}>
          Choose a folder…
        </button>
        <button type="button" onClick={() => files.current?.click()}>
          Choose files…
        </button>
      </div>
      <input
        ref={folder}
        type="file"
        hidden
        multiple
        {...{ webkitdirectory: true }}
        aria-label="Folder of answers"
        onChange={(event) => read(event.currentTarget)}
      />
      <input
        ref={files}
        type="file"
        hidden
        multiple
        accept=".json"
        aria-label="Files of answers"
        onChange={(event) => read(event.currentTarget)}
      />
      {found?.groups.length === 0 && (
        <p class="notice">
          None of these files has answers. Choose those that students saved at the end of an
          exercise.
        </p>
      )}
      {found?.groups.map((group, at) => (
        <GroupTable key={at} group={group} />
      ))}
      {found && found.faults.length > 0 && (
        <details open={found.groups.length === 0}>
          <summary>
            {found.faults.length} {found.faults.length === 1 ? "file was" : "files were"} left out
          </summary>
          <ul>
            {found.faults.map(({ file, why }) => (
              <li key={file}>
                <b>{file}</b>: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function GroupTable({ group }: { group: Group }) {
  const { exercise, students, questions, problem } = group;
  const asked = (questions ?? []).flatMap((chapter, at) =>
    chapter.map((question, index) => ({
      question,
      at,
      index,
      name: exercise.chapters.length > 1 ? `${at + 1}.${index + 1}` : String(index + 1),
    })),
  );
  const rights = (student: Student) =>
    asked.filter(({ question, at, index }) => mark(student, question, at, index).isRight).length;
  return (
    <section class="class-group" aria-label={exercise.title}>
      <h3>{exercise.title}</h3>
      <p class="quiet">
        {students.length} {students.length === 1 ? "file" : "files"}
        {questions &&
          asked.length > 0 &&
          `, ${figure(students.reduce((sum, each) => sum + rights(each), 0) / students.length)} of ${asked.length} right on average`}
      </p>
      {problem && (
        <p class="notice bad" role="alert">
          <b>{problem.what}</b> {problem.why} {problem.next}
        </p>
      )}
      {!questions && !problem && <p class="quiet">Simulating the right answers…</p>}
      {questions && (
        <>
          <DataTable
            label={`Answers to ${exercise.title}`}
            class="answers"
            rows={students}
            columns={[
              {
                name: "Student",
                isHead: true,
                value: ({ name, file }) => name || file,
                show: ({ name, file }) => <span title={file}>{name || file}</span>,
              },
              { name: "Right", value: rights },
              ...asked.map(({ question, at, index, name }) => {
                const of = (student: Student) => mark(student, question, at, index);
                const words = (student: Student) => {
                  const { given } = of(student);
                  return given ? inWords(question.answer, given) : "";
                };
                return {
                  name: `Question ${name}`,
                  head: <span title={question.ask}>{name}</span>,
                  value: (student: Student) => words(student) || undefined,
                  show: (student: Student) => {
                    const { given, isRight } = of(student);
                    if (!given || !words(student)) return <span class="quiet">not answered</span>;
                    return (
                      <span class={isRight ? "is-right" : "is-wrong"}>
                        {isRight ? "✓" : "✗"} {words(student)}
                        <span class="unseen">{isRight ? ", right" : ", wrong"}</span>
                      </span>
                    );
                  },
                };
              }),
            ]}
          />
          <DataTable
            label={`Questions of ${exercise.title}`}
            class="answers"
            rows={asked}
            columns={[
              { name: "Question", isHead: true, value: ({ name }) => name },
              { name: "Question text", class: "words", value: ({ question }) => question.ask },
              { name: "Right answer", value: ({ question }) => inWords(question.answer) },
              {
                name: "Right",
                value: ({ question, at, index }) =>
                  students.filter((student) => mark(student, question, at, index).isRight).length,
              },
              {
                name: "Answered",
                value: ({ question, at, index }) =>
                  students.filter((student) => {
                    const { given } = mark(student, question, at, index);
                    return given && inWords(question.answer, given);
                  }).length,
              },
              {
                name: "Most common wrong answer",
                class: "words",
                value: ({ question, at, index }) => commonWrong(students, question, at, index),
              },
            ]}
          />
        </>
      )}
    </section>
  );
}

/** Returns the wrong answer that most students gave, with their number. */
function commonWrong(
  students: Student[],
  question: Parameters<typeof mark>[1],
  at: number,
  index: number,
): string | undefined {
  const counts = new Map<string, number>();
  for (const student of students) {
    const { given, isRight } = mark(student, question, at, index);
    const words = given && inWords(question.answer, given);
    if (!words || isRight) continue;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most && `${most[0]} (${most[1]})`;
}
