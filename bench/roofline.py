#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step could take at the least on this machine, beside what it takes.

The bound of a kernel is the larger of two times: its operations at the peak of
fused multiply-adds, and its bytes at the bandwidth of the level of the memory
hierarchy that holds them. Peak and bandwidth are measured on as many threads,
right before and after (ingot-fma-peak, ingot-memory-bandwidth, built beside
ingotc). Operations and bytes are those that the artifact states of its kernels.

A step's share is the sum of its kernels' bounds divided by the step's time
without a trace. The table ranks what kernels lose: the time in a traced step
beyond their bound. Kernels of a traced step run one after the other.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

import run


class Machine:
    """The limits that were measured: operations and, by working set, bytes a second."""

    def __init__(self, folder, threads, level):
        self.folder, self.threads, self.level = folder, threads, level
        self.peak, self.bandwidth, self.fork_join = 0, {}, float("inf")

    def measure(self):
        """Raises the limits to what this call finds; disturbances only lower them."""
        self.measure_peak()
        self.measure_bandwidth()

    def measure_peak(self):
        self.peak = max(self.peak, self.peak_now(0.1))

    def peak_now(self, seconds):
        """Operations a second of all threads together."""
        return self.peaks_now(seconds)[self.threads]

    def peaks_now(self, seconds):
        """Operations a second of one thread and of all together, by their number."""
        done = subprocess.run([self.folder / "ingot-fma-peak", str(seconds), str(self.threads)], capture_output=True, text=True, check=True)
        peaks = {}
        for level, count, rate in re.findall(r"^(\S+) threads (\d+) GFLOP/s ([\d.]+)$", done.stdout, re.M):
            if self.level in (None, level):
                peaks[int(count)] = max(peaks.get(int(count), 0), float(rate) * 1e9)
        return peaks

    def measure_bandwidth(self):
        done = subprocess.run([self.folder / "ingot-memory-bandwidth", "0.1", str(self.threads)], capture_output=True, text=True, check=True)
        for size, rate in re.findall(r"^bytes (\d+) threads \d+ GB/s ([\d.]+)$", done.stdout, re.M):
            self.bandwidth[int(size)] = max(self.bandwidth.get(int(size), 0), float(rate) * 1e9)
        self.fork_join = min(self.fork_join, float(re.search(r"^fork-join threads \d+ ns (\d+)$", done.stdout, re.M)[1]) * 1e-9)

    def bound(self, operations, size, launches=1, peak=None):
        """Seconds at the least of some launches, and what limits them. Operations and bytes are sums over the launches."""
        peak = peak or self.peak
        # Each launch works on bytes of its own.
        operations, size = operations / launches, size / launches
        # A thread's part of the bytes decides which level holds them.
        held = [rate for level, rate in sorted(self.bandwidth.items()) if level >= size / self.threads]
        rate = held[0] if held else self.bandwidth[max(self.bandwidth)]
        computing, moving = operations / peak, size / rate
        return (launches * computing, "FMA") if computing >= moving else (launches * moving, "bytes")


def kernels_of_step(trainer, threads, folder, traced=20):
    """By name: seconds in a step (the median of traced steps, the first four left out), operations, bytes and launches."""
    trace = folder / "trace.json"
    command = [trainer, "--model-dir", folder / "traced", "--steps", traced + 4, "--trace", trace, "--trace-steps", traced]
    command += ["--quiet", "--log-steps", 0, "--summary-steps", 0, "--threads", threads]
    subprocess.run([str(part) for part in command], check=True)
    events = [event for event in json.loads(trace.read_text())["traceEvents"] if event.get("ph") == "X"]
    steps = [event for event in events if event["cat"] == "step"][4:]
    times, facts = collections.defaultdict(list), {}
    for step in steps:
        inside = collections.Counter()
        work = collections.defaultdict(lambda: [0, 0, 0])
        for event in events:
            if event["cat"] == "kernel" and step["ts"] <= event["ts"] < step["ts"] + step["dur"]:
                inside[event["name"]] += event["dur"] * 1e-6
                args = event.get("args", {})
                work[event["name"]][0] += args.get("operations", 0)
                work[event["name"]][1] += args.get("bytes", 0)
                work[event["name"]][2] += 1
        for name, seconds in inside.items():
            times[name].append(seconds)
            facts[name] = work[name]
    return {name: (statistics.median(times[name]), *facts[name]) for name in times}


def measure(options, graph, machine):
    """A row of the table: the step's time, its bound and share, and what kernels lose."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trainer = folder / "trainer"
        took, why = run.compile_graph(options.ingotc, graph, trainer, options.compile_flag)
        if took is None:
            return {"name": graph.stem, "why": why}
        machine.measure()
        median, _ = run.measure(trainer, machine.threads, options.seconds, options.windows)
        machine.measure()
        kernels = kernels_of_step(trainer, machine.threads, folder)
    losses = []
    for kernel, (seconds, operations, size, launches) in kernels.items():
        bound, limit = machine.bound(operations, size, launches)
        losses.append((seconds - bound, kernel, seconds, bound, limit))
    losses.sort(reverse=True)
    bound = sum(row[3] for row in losses)
    return {"name": graph.stem, "step": 1 / median, "bound": bound, "share": bound * median, "kernels": losses,
            "peak": machine.peak, "traced": sum(row[2] for row in losses)}  # fmt: skip


def write_svg(rows, path, title="share of the bound by operations and bytes"):
    """A bar for each model, as long as its share."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{24 * len(rows) + 40}" font-family="sans-serif" font-size="13">',
        "<style>text{fill:#222}.b{fill:#e4e4e4}.s{fill:#4878a8}@media(prefers-color-scheme:dark){text{fill:#ddd}.b{fill:#444}.s{fill:#78a8d8}}</style>",
        f'<text x="140" y="16">{title}</text>',
    ]
    for place, row in enumerate(rows):
        y = 24 * place + 26
        lines += [
            f'<text x="4" y="{y + 14}">{row["name"]}</text><rect class="b" x="140" y="{y}" width="440" height="18"/>',
            f'<rect class="s" x="140" y="{y}" width="{440 * min(1, row["share"]):.0f}" height="18"/>',
            f'<text x="586" y="{y + 14}">{row["share"]:.0%}</text>',
        ]
    pathlib.Path(path).write_text("\n".join([*lines, "</svg>", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--level", help="of the peak, such as x86-64-v3, for graphs compiled with --compile-flag=--cpu=x86-64-v3")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a window")
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--kernels", type=int, default=5, help="how many kernels of a graph are printed, by what they lose")
    parser.add_argument("--svg", metavar="FILE")
    parser.add_argument("--compile-flag", action="append", default=[], metavar="FLAG")
    parser.add_argument("graphs", nargs="*", help="files, or names in bench/graphs (default: all there)")
    options = parser.parse_args()
    given = [pathlib.Path(name) if name.endswith(".meta") else run.BENCH / "graphs" / f"{name}.meta" for name in options.graphs]
    machine = Machine(pathlib.Path(options.ingotc).resolve().parent, options.threads, options.level)
    rows = []
    for graph in given or sorted((run.BENCH / "graphs").glob("*.meta")):
        row = measure(options, graph, machine)
        if "why" in row:
            print(f"{row['name']:<20} {row['why']}", flush=True)
            continue
        rows.append(row)
        print(f"{row['name']:<20} step {row['step'] * 1e6:>9.0f} us  bound {row['bound'] * 1e6:>9.0f} us  share {row['share']:.0%}  "
              f"traced {row['traced'] * 1e6:.0f} us", flush=True)  # fmt: skip
        for loss, kernel, seconds, bound, limit in row["kernels"][: options.kernels]:
            print(f"    loses {loss * 1e6:>8.1f} us: {seconds * 1e6:>8.1f} us, {bound / max(seconds, 1e-12):>4.0%} of its bound by {limit:<5}  {kernel[:90]}")
    print(f"FMA peak {machine.peak / 1e9:.0f} GFLOP/s on {machine.threads} threads; bandwidth {max(machine.bandwidth.values()) / 1e9:.0f} GB/s in the first cache, "
          f"{machine.bandwidth[max(machine.bandwidth)] / 1e9:.0f} GB/s in memory")  # fmt: skip
    if options.svg:
        write_svg(rows, options.svg)


if __name__ == "__main__":
    main()
