// The files of a run, as buttons.
import { PictureTools } from "../export/tools";
import { saveFile } from "../lab/files";
import * as s from "../state";

export function Files({ lane, index }: { lane: s.Lane; index: number }) {
  const isOff = lane.state !== "done";
  return (
    <span class="files">
      <button
        type="button"
        class="small"
        disabled={isOff}
        aria-label={`Jobs of run ${s.letter(index)} as CSV`}
        onClick={() => void saveFile(lane, "jobs")}
      >
        CSV
      </button>
      <button
        type="button"
        class="small"
        disabled={isOff}
        aria-label={`Schedule of run ${s.letter(index)} as SWF`}
        onClick={() => void saveFile(lane, "swf")}
      >
        SWF
      </button>
      <button
        type="button"
        class="small"
        disabled={isOff}
        aria-label={`Summary of run ${s.letter(index)} as JSON`}
        onClick={() => void saveFile(lane, "summary")}
      >
        JSON
      </button>
      <button
        type="button"
        class="small"
        disabled={isOff}
        aria-label={`Run ${s.letter(index)} as a Chrome trace`}
        title="Chrome's trace event format, for Perfetto"
        onClick={() => void saveFile(lane, "chrome")}
      >
        Trace
      </button>
      <PictureTools
        title={`Timeline of run ${s.letter(index)}`}
        isOff={isOff}
        of={async () => (await import("../export/timeline")).timelineFigure([lane])}
      />
    </span>
  );
}
