"""evalys reads the jobs CSV unchanged, and finds in it what schedscope says of the run.

usage: check.py SCHEDSCOPE FOLDER
"""

import json
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from evalys.jobset import JobSet  # noqa: E402

schedscope, folder = sys.argv[1], Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
trace, jobs, summary = (str(folder / name) for name in ("trace.swf", "_jobs.csv", "summary.json"))


def run(*words):
    subprocess.run([schedscope, *words], check=True, stdout=subprocess.DEVNULL)


run("generate", "lublin", "--set", "jobs=800", "--set", "processors=64", "--out", trace, "--force")
run("run", trace, "--policy", "easy", "--jobs", jobs, "--summary", summary, "--force")
figures = json.loads(Path(summary).read_text())["metrics"]

found = JobSet.from_csv(jobs, resource_bounds=(0, 63))
frame = found.df
assert len(frame) == 800, len(frame)
assert abs(frame["waiting_time"].mean() - figures["wait"]["mean"]) < 1e-6 * max(1, figures["wait"]["mean"])
assert abs(frame["turnaround_time"].mean() - figures["response"]["mean"]) < 1e-6 * figures["response"]["mean"]
# evalys works the load out from starts, ends and sizes; utilisation is of the whole machine.
span = frame["finish_time"].max() - frame["submission_time"].min()
used = (frame["execution_time"] * frame["requested_number_of_resources"]).sum() / (64 * span)
assert abs(used - figures["utilisation"]["value"]) < 1e-6, (used, figures["utilisation"]["value"])
load = found.utilisation
assert load["load"].max() <= 64 and load["load"].min() >= 0
work = load["area"].sum()
assert abs(work - used * 64 * span) < 1e-6 * work, (work, used * 64 * span)
# Every job has as many processors as it asked for, and nobody shares one: evalys draws the Gantt chart.
sizes = [len(processors) for processors in frame["allocated_resources"]]
assert sizes == list(frame["requested_number_of_resources"])
found.plot(normalize=False)
print("ok: evalys reads 800 jobs, with equal waits, responses, utilisation and sizes, and draws them")
