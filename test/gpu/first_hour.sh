#!/usr/bin/env bash
# first_hour.sh BUILD WORK: what docs/gpu-checklist.md lists, on a machine with a GPU.
set -uo pipefail
build=$(realpath "$1") work=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$work"
failures=0

check() { # check WHAT COMMAND...: runs it, and counts it where it fails
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok      $what"
  else
    echo "FAILED  $what"
    tail -5 "$work/log" | sed 's/^/        /'
    failures=$((failures + 1))
  fi
}

train() { # train RUN FOLDER [COMMAND...]: 5 steps, losses beside the folder
  local run=$1 folder=$2
  shift 2
  rm -rf "$folder"
  "$@" "$work/$run.trainer" --model-dir "$folder" --data-dir "$source/test/data/$run" \
    --init-from "$source/test/data/$run/model.ckpt-0" --steps 5 --losses "$folder.losses" \
    --summary-steps 0 --log-steps 0 --quiet --device cuda:0
}

agrees() { # agrees RUN: with TensorFlow's losses
  python3 - "$source/test/data/$1/expect.json" "$work/$1.first.losses" <<'PYTHON'
import json, sys
expected = json.load(open(sys.argv[1]))["loss"]
found = [json.loads(line)["loss"] for line in open(sys.argv[2])]
assert len(found) == 5, f"{len(found)} steps"
for step, (a, b) in enumerate(zip(found, expected), 1):
    assert abs(a - b) <= 5e-5 * abs(b), f"step {step}: {a}, TensorFlow's {b}"
PYTHON
}

names_what_is_missing() {
  local told
  told=$("$work/mlp_adam.trainer" --model-dir "$work/nowhere" --data-dir "$source/test/data/mlp_adam" \
    --steps 1 --device cuda:99 2>&1)
  echo "$told"
  [[ $told == *"cuda:99: there is no such GPU"* ]]
}

nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>/dev/null || echo "no nvidia-smi"
for run in mlp_adam conv_momentum csv_regression embedding_sparse; do
  check "$run compiles" "$build/bin/ingotc" --target=cuda "$source/test/data/$run/train.meta" -o "$work/$run.trainer"
  start=$(date +%s%N)
  check "$run trains" train "$run" "$work/$run.first"
  echo "        $((($(date +%s%N) - start) / 1000000)) ms for 5 steps, from the start of the program"
  check "$run agrees with TensorFlow" agrees "$run"
  check "$run trains again" train "$run" "$work/$run.second"
  for file in data-00000-of-00001 index; do
    check "$run writes the same $file" cmp "$work/$run."{first,second}"/model.ckpt-5.$file"
  done
  if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
      check "$run is clean ($tool)" train "$run" "$work/$run.$tool" compute-sanitizer --tool "$tool" --error-exitcode 9
    done
  else
    echo "skipped compute-sanitizer: not installed"
  fi
  if command -v nsys >/dev/null; then
    check "$run is profiled: $work/$run.nsys-rep" train "$run" "$work/$run.profiled" nsys profile -f true -o "$work/$run"
  else
    echo "skipped nsys: not installed"
  fi
done
check "a GPU that is not there is named" names_what_is_missing
echo "$failures failed"
exit $((failures > 0))
