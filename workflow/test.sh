#!/usr/bin/env bash
# The workflow gives what one machine gives, also after a shard was killed and after the workflow itself was.
# usage: test.sh SCHEDSCOPE SNAKEMAKE FOLDER
set -euo pipefail
schedscope=$(realpath "$1") snakemake=$(realpath -s "$2") folder=$3
here=$(dirname "$(realpath "$0")")
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"

cat > plan.json <<'PLAN'
{
  "schedscope_plan": 1,
  "workloads": [{"model": {"id": "lublin", "settings": {"jobs": 3000, "processors": 64}}}],
  "policies": [{"policy": "fcfs"}, {"policy": "easy"}, {"policy": "conservative"}],
  "loads": {"offered": [0.5, 0.7]},
  "seeds": [1, 2, 3, 4]
}
PLAN
"$schedscope" sweep plan.json --out single > /dev/null

# The first time that it is asked for the second shard, this program is killed when it has written some cells.
cat > killed.sh <<KILLED
#!/usr/bin/env bash
"$schedscope" "\$@" &
worker=\$!
if [[ " \$* " == *" 2/3 "* && ! -e $PWD/was-killed ]]; then
  touch $PWD/was-killed
  until compgen -G "flow/shards/2-of-3/cells/*.json" > /dev/null || ! kill -0 \$worker 2> /dev/null; do sleep 0.01; done
  kill -9 \$worker
fi
wait \$worker
KILLED
chmod +x killed.sh

flow() {
  local out=$1 program=$2
  "$snakemake" --snakefile "$here/Snakefile" --cores 2 --quiet all --rerun-incomplete --config plan=plan.json out="$out" shards=3 schedscope="$program" > "$out.log" 2>&1
}
same() {
  for file in results.csv analysis.json plan.json; do cmp "single/$file" "$1/$file"; done
  diff -r single/cells "$1/cells"
}

flow flow ./killed.sh || { cat flow.log; exit 1; }
test -e was-killed
# What it had finished was kept.
grep -qE "^8 cells, [0-7] of them to run" flow/shards/2-of-3.log
same flow
echo "ok: a shard that was killed was started again, with equal results"

# The whole workflow dies, as when a login node restarts; the same command goes on.
setsid bash -c "exec '$snakemake' --snakefile '$here/Snakefile' --cores 1 --quiet all --config plan=plan.json out=again shards=3 schedscope='$schedscope'" > again-first.log 2>&1 &
leader=$!
until compgen -G "again/shards/*/cells/*.json" > /dev/null || ! kill -0 $leader 2> /dev/null; do sleep 0.02; done
kill -9 -- -$leader 2> /dev/null || true
wait $leader 2> /dev/null || true
"$snakemake" --snakefile "$here/Snakefile" --unlock --config plan=plan.json out=again shards=3 schedscope="$schedscope" > unlock.log 2>&1
flow again "$schedscope" || { cat again.log; exit 1; }
same again
echo "ok: a workflow that was killed goes on, with equal results"
cd / && rm -rf "$folder"
echo "workflow: 2 passed, 0 failed"
