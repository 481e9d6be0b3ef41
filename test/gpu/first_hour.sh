#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# first_hour.sh BUILD WORK [RUN...]: what docs/guide/gpu-checklist.md lists, on a machine with a GPU; of
# all reference runs, or of those that are named. Figures go to WORK/figures.json.
set -uo pipefail
build=$(realpath "$1") work=$2
shift 2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$work"
runs=("$@")
((${#runs[@]})) || mapfile -t runs < <(cd "$source/test/data" &&
  ls -d mlp_adam conv_momentum csv_regression embedding_sparse models/*/ adanet_diabetes adanet_digits |
  sed 's,/$,,' | while read -r run; do [[ -f $run/expect.json ]] && echo "$run"; done)
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

compiles() { # compiles RUN [FLAG]: with what expect.json asks for, $name.trainer
  local data=$source/test/data/$1 graph
  graph=$(ls -v "$data"/*.meta | tail -1)
  [[ -f $data/train.meta ]] && graph=$data/train.meta
  mapfile -t flags < <(python3 - "$data/expect.json" <<'PYTHON'
import json, sys
expect = json.load(open(sys.argv[1]))
loss = expect.get("loss_tensor")
print("\n".join(([f"--observe={loss}"] if loss else []) + expect.get("flags", [])))
PYTHON
  )
  "$build/bin/ingotc" --target=cuda "$graph" ${flags[0]:+"${flags[@]}"} ${2:+"$2"} -o "$work/$name.trainer"
}

train() { # train RUN FOLDER [COMMAND...]: 5 steps, losses beside the folder
  local data=$source/test/data/$1 folder=$2 loss from=()
  shift 2
  rm -rf "$folder"
  mkdir -p "$folder"
  if [[ -f $data/model.ckpt-0.index ]]; then
    from=(--init-from "$data/model.ckpt-0")
  else # AdaNet's: the checkpoint that the newest graph begins with
    local start
    start=$(basename "$(ls -v "$data"/increment.ckpt-*.index | tail -1)" .index)
    cp "$data/$start".* "$folder"
    echo "model_checkpoint_path: \"$start\"" >"$folder/checkpoint"
  fi
  loss=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get("loss_tensor", ""))' "$data/expect.json")
  "$@" "$work/$name.trainer" --model-dir "$folder" --data-dir "$data" ${from[0]:+"${from[@]}"} \
    ${loss:+--loss "$loss"} --steps 5 --losses "$folder.losses" \
    --summary-steps 0 --log-steps 0 --quiet --device cuda:0
}

agrees() { # agrees RUN: with TensorFlow's losses, where the run starts with TensorFlow's
  python3 - "$source/test/data/$1/expect.json" "$work/$name.first.losses" <<'PYTHON'
import json, sys
expected = json.load(open(sys.argv[1])).get("loss")
found = [json.loads(line)["loss"] for line in open(sys.argv[2])]
assert len(found) == 5, f"{len(found)} steps"
for step, (a, b) in enumerate(zip(found, expected or found), 1):
    assert abs(a - b) <= 5e-5 * abs(b), f"step {step}: {a}, TensorFlow's {b}"
PYTHON
}

same_bytes() { # same_bytes FOLDER FOLDER: their newest checkpoints
  local file
  for file in "$1"/model.ckpt-*; do
    cmp "$file" "$2/$(basename "$file")" || return 1
  done
}

names_what_is_missing() {
  local told
  told=$("$work/$name.trainer" --model-dir "$work/nowhere" --data-dir "$source/test/data/${runs[0]}" \
    --steps 1 --device cuda:99 2>&1)
  echo "$told"
  [[ $told == *"cuda:99: no such GPU"* ]]
}

nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>/dev/null || echo "no nvidia-smi"
for tool in compute-sanitizer nsys; do
  command -v "$tool" >/dev/null || echo "skipped $tool: not installed"
done
for run in "${runs[@]}"; do
  name=${run//\//_}
  check "$run compiles" compiles "$run"
  start=$(date +%s%N)
  check "$run trains" train "$run" "$work/$name.first"
  echo "        $((($(date +%s%N) - start) / 1000000)) ms for 5 steps, from the start of the program"
  check "$run agrees with TensorFlow" agrees "$run"
  check "$run trains again" train "$run" "$work/$name.second"
  check "$run writes the same bytes" same_bytes "$work/$name."{first,second}
  check "$run compiles, with steps as one kernel" compiles "$run" --step-kernel
  check "$run trains, with steps as one kernel" train "$run" "$work/$name.step"
  check "$run writes the same bytes, with steps as one kernel" same_bytes "$work/$name."{first,step}
  check "$run compiles again" compiles "$run"
  if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
      check "$run is clean ($tool)" train "$run" "$work/$name.$tool" compute-sanitizer --tool "$tool" --error-exitcode 9
    done
  fi
  if command -v nsys >/dev/null; then
    check "$run is profiled: $work/$name.nsys-rep" train "$run" "$work/$name.profiled" nsys profile -f true -o "$work/$name"
  fi
done
check "a GPU that is not there is named" names_what_is_missing
[[ ${INGOT_FIGURES-} == no ]] || check "figures: $work/figures.json" python3 "$source/test/gpu/measure.py" "$build" "$work" --seconds "${INGOT_SECONDS:-5}"
echo "$failures failed"
exit $((failures > 0))
