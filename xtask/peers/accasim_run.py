"""Runs AccaSim on a log: accasim_run.py LOG.swf[.gz] PROCESSORS FCFS|EASY FOLDER

`cargo xtask bench --report` calls it. AccaSim, https://pypi.org/project/accasim/, is a peer whose
time stands beside ours in docs/performance.md.
"""

import collections
import collections.abc
import gzip
import json
import os
import shutil
import sys

# AccaSim 1.1.3 looks for this name where Python had it before version 3.10.
collections.Mapping = collections.abc.Mapping

from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import EASYBackfilling, FirstInFirstOut
from accasim.base.simulator_class import Simulator

log, processors, policy, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
plain = os.path.join(folder, "log.swf")
opened = gzip.open(log, "rb") if log.endswith(".gz") else open(log, "rb")
with opened as packed, open(plain, "wb") as file:
    shutil.copyfileobj(packed, file)
system = os.path.join(folder, "system.json")
with open(system, "w") as file:
    json.dump(
        {
            "system_name": "flat",
            "start_time": 0,
            "equivalence": {"processor": {"core": 1}},
            "groups": {"node": {"core": 1}},
            "resources": {"node": int(processors)},
        },
        file,
    )
scheduler = {"FCFS": FirstInFirstOut, "EASY": EASYBackfilling}[policy]
Simulator(
    plain,
    system,
    scheduler(FirstFit()),
    RESULTS_FOLDER_PATH=folder,
    scheduling_output=False,
    show_statistics=False,
    OVERWRITE_PREVIOUS=True,
).start_simulation()
