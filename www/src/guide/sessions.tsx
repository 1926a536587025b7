// Sessions: the state of the page under a name, kept in this browser when the reader asks.
import { signal, useSignal } from "@preact/signals";
import { Trash2 } from "lucide";
import { useEffect, useId } from "preact/hooks";
import { asProblem } from "../format/problem";
import { bytes } from "../format/words";
import { write } from "../link/format";
import { now } from "../link/here";
import { policyOf } from "../runs/name";
import * as s from "../state";
import {
  forgetSession,
  keepSession,
  keptSessions,
  restoreSession,
  type Session,
  timeOf,
} from "../storage/sessions";
import { keepTrace, keptTrace } from "../storage/traces";
import { Icon } from "../ui/icon";
import { Scenarios } from "./choice";

/** The kept sessions, the latest first; undefined until they are read. */
const kept = signal<Session[] | undefined>(undefined);

const again = async (): Promise<void> => void (kept.value = await keptSessions());

function usualName(): string {
  const trace = s.workload.value?.provenance.name ?? "";
  return `${trace}: ${s.lanes.value.map(policyOf).join(", ")}`.slice(0, 80);
}

/** The form that keeps the present state, and the list of the sessions. */
export default function Sessions() {
  const id = useId();
  const name = useSignal(usualName());
  const withLog = useSignal(true);
  const said = useSignal("");
  const file = s.source.value?.kind === "file" ? s.source.value.file : undefined;
  const keep = async () => {
    try {
      const provenance = s.workload.value?.provenance;
      const sha256 = provenance?.sha256 ?? "";
      const isKept = await keepSession({
        name: name.value.trim() || usualName(),
        fragment: await write(now()),
        trace: provenance?.name ?? "",
      });
      if (!isKept)
        throw {
          what: "The session is not kept.",
          why: "This browser refuses to store data, as private windows do.",
          next: "Share a link, and keep that.",
        };
      if (file && withLog.value && !(await keptTrace(sha256))) await keepTrace(sha256, file);
      said.value = [
        "Kept.",
        file && !withLog.value ? "It will ask for the log when it opens." : "",
        s.source.value?.demands ? "It does not hold the table of demands." : "",
      ]
        .filter(Boolean)
        .join(" ");
    } catch (error) {
      s.tell(asProblem(error));
      said.value = "Not kept.";
    }
    s.say(said.value);
    await again();
  };
  return (
    <div class="sessions">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void keep();
        }}
      >
        <label for={id}>Keep the present state as</label>
        <div class="buttons">
          <input
            id={id}
            type="text"
            maxLength={80}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
          <button type="submit" class="primary">
            Keep
          </button>
        </div>
        {file && (
          <label class="inline">
            <input
              type="checkbox"
              checked={withLog.value}
              onChange={(event) => (withLog.value = event.currentTarget.checked)}
            />{" "}
            with the log ({bytes(file.size)})
          </label>
        )}
        <p class="quiet" role="status">
          {said.value || "Sessions stay in this browser."}
        </p>
      </form>
      <SessionList />
      <Scenarios />
    </div>
  );
}

/** Sessions as links, each with a button that deletes it. */
export function SessionList({ most = Number.POSITIVE_INFINITY }: { most?: number }) {
  useEffect(() => void again(), []);
  const remove = async (session: Session) => {
    await forgetSession(session);
    await again();
    const words = `The session ${session.name} is deleted.`;
    s.say(words);
    s.offerUndo({ words, undo: () => void restoreSession(session).then(again) });
  };
  if (!kept.value || kept.value.length === 0) return null;
  return (
    <>
      <h3>Your sessions</h3>
      <ul class="session-list">
        {kept.value.slice(0, most).map((session) => (
          <li key={session.name}>
            <a href={`#${session.fragment}`}>{session.name}</a>
            <small class="quiet">
              {session.trace}, {timeOf(session)}
            </small>
            <button
              type="button"
              class="bare icon-only small"
              aria-label={`Delete the session ${session.name}`}
              title="Delete"
              onClick={() => void remove(session)}
            >
              <Icon of={Trash2} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
