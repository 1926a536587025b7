// The what-if form: the changes at an instant, and a run for each of the two futures.
import { useSignal } from "@preact/signals";
import type { WhatIf } from "schedscope";
import { instant } from "../format/words";
import * as lab from "../lab";
import { changes } from "../runs/whatif";
import * as s from "../state";
import { Mark } from "../ui/mark";
import { asking, close, forkAt } from "./asking";

/** Joins the changes of the run with the new ones. */
function merged(before: WhatIf | undefined, wish: WhatIf): WhatIf {
  if (!before) return wish;
  const jobs = [
    ...(before.jobs ?? []).filter(
      ({ number }) => !(wish.jobs ?? []).some((job) => job.number === number),
    ),
    ...(wish.jobs ?? []).map((job) => ({
      ...before.jobs?.find(({ number }) => number === job.number),
      ...job,
    })),
  ];
  const users = [...new Set([...(before.without_users ?? []), ...(wish.without_users ?? [])])];
  return {
    ...before,
    ...wish,
    ...(jobs.length > 0 ? { jobs } : {}),
    ...(users.length > 0 ? { without_users: users } : {}),
  };
}

/** The form has the focus when it opens. */
const focused = (element: HTMLElement | null): void => {
  if (element && !element.closest("form")?.contains(document.activeElement))
    element.focus({ preventScroll: true });
};

const KINDS = {
  policy: "switch the policy",
  job: "change a job's request",
  user: "remove a user",
  closed: "take processors out of service",
} as const;

type Kind = keyof typeof KINDS;

function Num({
  label,
  unit,
  value,
  onChange,
}: {
  label: string;
  unit?: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  // Typed text counts at once, so that Enter runs it. Text that is no number yet stays as typed.
  const typed = useSignal<string | undefined>(undefined);
  const parsed = (text: string) =>
    text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text);
  const shown =
    typed.value !== undefined && parsed(typed.value) === value
      ? typed.value
      : value === undefined
        ? ""
        : String(value);
  const onInput = (event: { currentTarget: HTMLInputElement }) => {
    typed.value = event.currentTarget.value;
    onChange(parsed(typed.value));
  };
  return (
    <label class="inline">
      {label}{" "}
      <input
        type="text"
        inputMode="decimal"
        autocomplete="off"
        size={9}
        value={shown}
        onInput={onInput}
      />
      {unit && <small>{unit}</small>}
    </label>
  );
}

export function WhatIfForm({ lane, index }: { lane: s.Lane; index: number }) {
  const now = asking.value;
  const kind = useSignal<Kind>("policy");
  const policy = useSignal("easy");
  const job = useSignal<Record<string, number | undefined>>({});
  const user = useSignal<number | undefined>(undefined);
  const closed = useSignal<Record<string, number | undefined>>({});
  if (now?.lane !== lane.id) return null;
  const chosen = s.jobFacts.value.get(lane.id);
  // Rows of an area are processors, but for those of slots and GPUs.
  const isOfProcessors = s.rowsFor(lane) === "shared";
  const area = isOfProcessors ? s.area.value : undefined;
  const able = (s.catalog.value?.policies ?? []).filter(({ machines }) =>
    machines.includes(lab.machineOf(lane)),
  );
  const number = job.value.number ?? chosen?.number;
  const {
    first = area?.top ?? 0,
    count = area ? area.bottom - area.top : undefined,
    seconds = area ? Math.max(1, Math.round(area.to - area.from)) : 86400,
  } = closed.value;
  const whatIf = (): WhatIf | undefined => {
    const { at } = now;
    const settings = {};
    if (kind.value === "policy") return { at, policy: policy.value, settings };
    if (kind.value === "user")
      return user.value === undefined ? undefined : { at, without_users: [user.value], settings };
    if (kind.value === "closed")
      return count === undefined ? undefined : { at, closed: { first, count, seconds }, settings };
    const { estimate, processors, submitted } = job.value;
    const asks = Object.fromEntries(
      Object.entries({ estimate, processors, submitted }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    return number === undefined || Object.keys(asks).length === 0
      ? undefined
      : { at, jobs: [{ number, ...asks }], settings };
  };
  const wish = whatIf();
  // A run forks only once: all its changes happen at the same instant.
  const isOtherFork = lane.whatIf !== undefined && lane.whatIf.at !== now.at;
  const run = () => {
    const wish = whatIf();
    if (!wish || isOtherFork) return;
    const { settings: _none, ...bare } = wish;
    // The run's earlier changes stay, if they are from the same instant.
    lab.addLane(lane.policy, { ...lab.setup(lane), whatIf: merged(lane.whatIf, bare as WhatIf) });
    close();
  };
  return (
    <form
      class="what-if"
      aria-label={`What if, in run ${s.letter(index)}`}
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <p tabIndex={-1} ref={focused}>
        <Mark index={index} /> <b>What if</b>, from{" "}
        <b>{instant(now.at, s.workload.value?.provenance.unix_start)}</b> on
      </p>
      <div class="buttons">
        <Num label="At" unit="s" value={now.at} onChange={(at) => at !== undefined && forkAt(at)} />
        {s.instant.value !== undefined && (
          <button type="button" class="small" onClick={() => forkAt(Math.round(s.instant.value!))}>
            Use shown instant
          </button>
        )}
        {s.area.value && (
          <button
            type="button"
            class="small"
            onClick={() => forkAt(Math.round(s.area.value!.from))}
          >
            Use start of area
          </button>
        )}
        {chosen && (
          <button type="button" class="small" onClick={() => forkAt(chosen.submitted)}>
            Use submission of job {chosen.number}
          </button>
        )}
      </div>
      <div class="buttons">
        <label class="inline">
          Change{" "}
          <select
            aria-label="Change"
            value={kind.value}
            onChange={(event) => (kind.value = event.currentTarget.value as Kind)}
          >
            {Object.entries(KINDS).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {kind.value === "policy" && (
          <label class="inline">
            Policy{" "}
            <select
              aria-label="Policy from then on"
              value={policy.value}
              onChange={(event) => (policy.value = event.currentTarget.value)}
            >
              {able.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {kind.value === "user" && (
          <Num label="User" value={user.value} onChange={(value) => (user.value = value)} />
        )}
        {kind.value === "job" && (
          <>
            <Num
              label="Job"
              value={number}
              onChange={(value) => (job.value = { ...job.value, number: value })}
            />
            <Num
              label="Estimate"
              unit="s"
              value={job.value.estimate}
              onChange={(value) => (job.value = { ...job.value, estimate: value })}
            />
            <Num
              label="Processors"
              value={job.value.processors}
              onChange={(value) => (job.value = { ...job.value, processors: value })}
            />
            <Num
              label="Submitted at"
              unit="s"
              value={job.value.submitted}
              onChange={(value) => (job.value = { ...job.value, submitted: value })}
            />
          </>
        )}
        {kind.value === "closed" && (
          <>
            <Num
              label="First processor"
              value={first}
              onChange={(value) => (closed.value = { ...closed.value, first: value })}
            />
            <Num
              label="Number"
              value={count}
              onChange={(value) => (closed.value = { ...closed.value, count: value })}
            />
            <Num
              label="For"
              unit="s"
              value={seconds}
              onChange={(value) => (closed.value = { ...closed.value, seconds: value })}
            />
          </>
        )}
      </div>
      {kind.value === "job" && (
        <p class="quiet">
          {chosen
            ? `Job ${chosen.number} has ${chosen.processors} processors, an estimate of ${chosen.estimate} s, and was submitted at ${chosen.submitted} s. `
            : ""}
          Only a job that has not started can change its request. Its submission can move if it is
          still in the future.
        </p>
      )}
      {kind.value === "closed" && (
        <p class="quiet">
          Free processors leave service at once, the others when their jobs end.
          {isOfProcessors
            ? " A selected area fills in all three fields."
            : " An area fills in the fields only if the rows are processors."}
        </p>
      )}
      <p class="quiet">
        Until then the run stays unchanged. Then its policy restarts with the present machine and
        queue.
      </p>
      <div class="buttons">
        <button type="submit" class="primary" disabled={!wish || isOtherFork}>
          Run both futures
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
        {isOtherFork ? (
          <span class="notice">
            This run already has a what-if, from{" "}
            {instant(lane.whatIf!.at, s.workload.value?.provenance.unix_start)} on.{" "}
            <button type="button" class="small" onClick={() => forkAt(lane.whatIf!.at)}>
              Add changes there
            </button>
          </span>
        ) : (
          wish && <span class="quiet">{changes(wish)}</span>
        )}
      </div>
    </form>
  );
}
