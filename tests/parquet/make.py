"""Writes the Parquet files of this folder. Needs pyarrow (24 or later): python make.py

Each file holds the table of jobs.csv, packed and laid out in another way.
"""

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from struct import pack

import pyarrow as pa
import pyarrow.parquet as pq

N = 30
first = datetime(2024, 2, 28, 22, 0, tzinfo=timezone.utc)
submit = [first + timedelta(seconds=1234 * i) for i in range(N)]
begun = [t + timedelta(seconds=60 * (i % 7)) for i, t in enumerate(submit)]
ended = [t + timedelta(seconds=100 + 37 * i) for i, t in enumerate(begun)]
table = pa.table(
    {
        "job": pa.array(range(1, N + 1), pa.uint32()),
        "submit_time": pa.array(submit, pa.timestamp("us", tz="UTC")),
        "start_time": pa.array([None if i == 4 else t for i, t in enumerate(begun)], pa.timestamp("ns", tz="UTC")),
        "end_time": pa.array([None if i == 4 else t for i, t in enumerate(ended)], pa.timestamp("ms", tz="UTC")),
        "cores": pa.array([1 + i % 8 for i in range(N)], pa.int16()),
        "walltime": pa.array([3600.0 + i / 2 for i in range(N)], pa.float64()),
        "user": pa.array([f"user{i % 3}" for i in range(N)], pa.string()).dictionary_encode(),
        "job_name": pa.array(['a, "b"' if i == 2 else "x\ny" if i == 3 else "größe" for i in range(N)]),
        "begun": pa.array([t.replace(tzinfo=None) for t in begun], pa.timestamp("ms")),
        "day": pa.array([date(1969, 12, 31) + timedelta(days=9999 * i) for i in range(N)], pa.date32()),
        "cost": pa.array([Decimal(i * 7 - 20) / 100 for i in range(N)], pa.decimal128(7, 2)),
        "interactive": pa.array([i % 2 == 0 for i in range(N)]),
        "share": pa.array([float("nan") if i == 1 else i / 10 for i in range(N)], pa.float32()),
        "clock": pa.array([1000 * i for i in range(N)], pa.time32("ms")),
        "half": pa.array([i / 2 for i in range(N)], pa.float16()),
        "big": pa.array([Decimal(i) for i in range(N)], pa.decimal256(60, 0)),
        "nodes": pa.array([[1, 2]] * N, pa.list_(pa.int32())),
        "nothing": pa.array([None] * N, pa.string()),
    }
)


NOT_READ = {"nodes": "list or group: not read", "half": "type not read", "big": "type not read"}


def single(value):
    """Returns the shortest digits that give a number of four bytes again."""
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return next((float(text) for text in texts if pack("f", float(text)) == pack("f", value)), value)


def cell(name, value):
    """Writes a value by the rules of docs/formats/tables.md."""
    if name in NOT_READ or value is None or value != value or isinstance(value, list):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return str(int(value.timestamp())) if value.tzinfo else value.strftime("%Y-%m-%dT%H:%M:%S")
    if isinstance(value, time):
        return str(((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000)
    if name == "share":
        value = single(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


heads = [f"{name} ({NOT_READ[name]})" if name in NOT_READ else name for name in table.column_names]
with open("jobs.csv", "w", newline="") as file:
    file.write(",".join(f'"{head}"' for head in heads) + "\n")
    for row in table.to_pylist():
        file.write(",".join(cell(*pair) for pair in row.items()) + "\n")
for name, options in {
    "none": {"compression": "none"},
    "snappy": {"compression": "snappy"},
    "gzip": {"compression": "gzip", "use_dictionary": False},
    "lz4": {"compression": "lz4", "row_group_size": 7},
    "zstd": {"compression": "zstd"},
    "zstd-pages-2": {"compression": "zstd", "data_page_version": "2.0", "row_group_size": 11},
    "snappy-pages-2": {"compression": "snappy", "data_page_version": "2.0", "data_page_size": 64},
    "int96": {"compression": "snappy", "use_deprecated_int96_timestamps": True},
    "brotli": {"compression": "brotli"},
}.items():
    pq.write_table(table, f"{name}.parquet", **options)

# A page that becomes larger than the limit.
large = pa.table({"job": ["0" * 140_000_000]})
pq.write_table(
    large, "../bad/large.parquet", compression="zstd", compression_level=19, use_dictionary=False, write_statistics=False
)
