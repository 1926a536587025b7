// The banner above the tabs: problems, notices, and reading a trace.
import { counted, doingInWords } from "../format/words";
import * as lab from "../lab";
import * as s from "../state";

export function ProblemBanner() {
  const problem = s.problem.value;
  const notice = s.notice.value;
  const opening = s.opening.value?.isQuiet ? undefined : s.opening.value;
  if (!problem && !notice && !opening) return null;
  return (
    <section aria-label="Messages">
      {opening && (
        <div class="banner">
          <p>
            Reading {opening.name}
            {opening.doing
              ? `: ${doingInWords(opening.doing, undefined)}`
              : opening.reading
                ? `: ${counted(opening.reading.records, "job")}`
                : ""}
            …{" "}
            <button type="button" class="small" onClick={lab.stopOpening}>
              Cancel
            </button>
          </p>
          <div
            class="progress"
            role="progressbar"
            aria-label={`Reading ${opening.name}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(
              100 * ((opening.reading?.read ?? 0) / Math.max(1, opening.reading?.total ?? 1)),
            )}
          >
            <div
              style={{
                width: `${100 * ((opening.reading?.read ?? 0) / Math.max(1, opening.reading?.total ?? 1))}%`,
              }}
            />
          </div>
        </div>
      )}
      {problem && (
        <div class="banner bad" role="alert">
          <p>
            <b>{problem.what}</b> {problem.why}
          </p>
          <p>{problem.next} The page keeps its previous content.</p>
          <div class="buttons">
            {problem.skippable && (
              <button type="button" onClick={lab.openSkipping}>
                Skip bad lines
              </button>
            )}
            <button type="button" onClick={() => s.dismiss()}>
              Dismiss
            </button>
          </div>
        </div>
      )}
      {notice && (
        <div class="banner">
          <p>{notice}</p>
          <div class="buttons">
            <button type="button" onClick={() => s.endNotice()}>
              Dismiss
            </button>
          </div>
        </div>
      )}
    </section>
  );
}
