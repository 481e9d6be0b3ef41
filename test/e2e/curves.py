# SPDX-License-Identifier: Apache-2.0
"""Curves of runs: scalars in event files by default, `trainer plot` and `trainer report`."""
import collections
import re
import shutil
import signal
import struct
import subprocess
import time
from xml.etree import ElementTree

import harness
from bundle import fields
from reports import pixels, records

PLATEAU = harness.SOURCE / "test" / "data" / "plateau"
SVG = "{http://www.w3.org/2000/svg}"


def scalars(folder):
    """The scalars of a folder's event files: the values by tag and step. None may stand twice."""
    found = {}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for record in records(path.read_bytes()):
            event = dict(fields(record))
            for number, value in fields(event.get(5, b"")):
                value = dict(fields(value))
                if number == 1 and 2 in value:
                    steps = found.setdefault(value[1].decode(), {})
                    assert event.get(2, 0) not in steps, (value, event.get(2, 0))
                    steps[event.get(2, 0)] = struct.unpack("<f", value[2])[0]
    return found


def points(last):
    """The steps that are points: the first 100; then 50 of each range (N, 2 N]."""
    return [step for step in range(1, last + 1)
            if step <= 100 or step % (next(2**k for k in range(40) if step <= 200 * 2**k) * 2) == 0]  # fmt: skip


def train_plateau(setup, *flags, run="run", steps=160):
    trainer = setup.dir / "plateau"
    if not trainer.exists():
        setup.compile(PLATEAU / "train.meta", "--entry", "evaluate=->val,acc", "--observe", "loss:0", "-o", trainer).expect(0)
    setup.run(trainer, "train-and-evaluate", "--model-dir", setup.dir / run, "--save-checkpoints-steps", 5, "--max-steps", steps,
              "--reduce-lr-on-plateau", "val:patience=2,factor=0.5", "--quiet", *flags).expect(0)  # fmt: skip
    return trainer, setup.dir / run


def losses_metrics_and_learning_rates_are_curves(setup):
    run, losses = setup.dir / "run", setup.dir / "losses"
    common = ("--data-dir", harness.REFERENCE, "--quiet", "--max-steps", 500)
    setup.run(setup.trainer, "--model-dir", run, "--losses", losses, "--fetch", "accuracy:0", *common).expect(0)
    found, lines = scalars(run), harness.read_losses(losses)
    for tag, key in (("loss", "loss"), ("accuracy", "accuracy:0")):
        expected = {line["step"]: line[key] for line in lines if line["step"] in points(500)}
        assert {step: round(value, 6) for step, value in found[tag].items()} == {
            step: round(value, 6) for step, value in expected.items()}, tag  # fmt: skip
    # Thinned: 100, 50 up to 200, 50 up to 400, every eighth up to 500.
    assert len(found["loss"]) == 212, len(found["loss"])
    # The learning rate is what Keras's rule made of it (test/e2e/plateau.py).
    _, reduced = train_plateau(setup, "--losses", losses, "--fetch", "loss:0", run="reduced")
    rate = scalars(reduced)["learning_rate"]
    each = {line["step"]: line["loss:0"] for line in harness.read_losses(losses)[-160:]}
    assert sorted(rate) == points(160) and len(set(rate.values())) > 3
    assert all(rate[step] == each[step] for step in rate), "not the rate of the step"
    # Without curves, and without any events.
    setup.run(setup.trainer, "--model-dir", setup.dir / "none", "--no-curves", *common).expect(0)
    assert "accuracy" not in scalars(setup.dir / "none") and "accuracy" in found
    setup.run(setup.trainer, "--model-dir", setup.dir / "off", "--summary-steps", 0, *common).expect(0)
    assert not list((setup.dir / "off").glob("events*"))


def curves_have_the_same_points_after_kills(setup):
    whole, run = setup.dir / "whole", setup.dir / "run"
    words = [setup.trainer, "--data-dir", harness.REFERENCE, "--quiet", "--save-checkpoints-steps", 100, "--max-steps", "3000", "--model-dir"]
    words = [str(word) for word in words]
    setup.run(*words, whole).expect(0)
    kills = 0
    for delay in (0.05, 0.1, 0.15):
        child = subprocess.Popen([*words, str(run)])
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        kills += child.wait() == -signal.SIGKILL
    assert kills > 0, "each run had ended before it was killed"
    setup.run(*words, run).expect(0)
    # The graph has a summary of the loss itself, which each session writes at its first step.
    found, expected = ({step: value for step, value in scalars(folder)["loss"].items() if step in points(3000)}
                       for folder in (run, whole))  # fmt: skip
    assert found == expected and sorted(found) == points(3000)
    assert len(scalars(run)["loss"]) <= len(found) + 4


def plots_show_training_and_evaluation_of_several_runs(setup):
    trainer, run = train_plateau(setup)
    train_plateau(setup, run="other", steps=40)
    plot = ("plot", run, setup.dir / "other", "-o")
    setup.run(trainer, *plot, setup.dir / "a.svg").expect(0)
    image = ElementTree.parse(setup.dir / "a.svg").getroot()
    texts = [element.text for element in image.iter(f"{SVG}text")]
    for title in ("val", "acc", "learning_rate", "loss (logarithmic)"):
        assert title in texts, texts
    assert "global_step/sec" not in texts, "a speed among the metrics"
    for legend in (f"{run} training", f"{setup.dir}/other evaluation"):
        assert any(legend[-40:] in text for text in texts), (legend, texts)
    # A curve has its points: 32 evaluations in one run, 8 in the other, for two metrics.
    curves = [element for element in image.iter(f"{SVG}polyline") if "dasharray" in element.get("style")]
    lengths = sorted(len(element.get("points").split()) for element in curves)
    assert lengths == [8] * 2 + [32] * 2, lengths
    setup.run(trainer, *plot, setup.dir / "b.svg", "--metric", "acc").expect(0)
    titles = [element.text for element in ElementTree.parse(setup.dir / "b.svg").getroot().iter(f"{SVG}text")]
    assert "acc" in titles and "val" not in titles
    # A loss that falls far has a logarithmic axis, with ticks at powers of ten.
    far = setup.dir / "far.jsonl"
    far.write_text("".join(f'{{"step":{i},"loss":{10.0 ** -i},"acc":{10.0 ** -i}}}\n' for i in range(5)))
    setup.run(trainer, "plot", far, "-o", setup.dir / "d.svg").expect(0)
    image = ElementTree.parse(setup.dir / "d.svg").getroot()
    texts = [element.text for element in image.iter(f"{SVG}text")]
    assert "loss (logarithmic)" in texts and "acc" in texts and {"1", "0.1", "0.01", "0.001", "0.0001"} <= set(texts), texts
    heights = [[float(point.split(",")[1]) for point in line.get("points").split()] for line in image.iter(f"{SVG}polyline")]
    falls = [[round(b - a, 1) for a, b in zip(line, line[1:])] for line in heights]
    assert falls[0] == [47.5] * 4 and falls[1][0] > 150, falls
    # Numbers that are too close, too small or too large for ticks.
    for values in ((1.0, 1.0000000000000002), (5e-324, 1.0), (1e-299, 1e300), (-1.7e308, 1.7e308), (3e-310, 4e-310), (0.0, 0.0)):
        far.write_text("".join(f'{{"step":{step},"loss":{value!r}}}\n' for step, value in zip((2**62, 2**62 + 1), values)))
        setup.run(trainer, "plot", far, "-o", setup.dir / "e.svg", timeout=20).expect(0)
        ElementTree.parse(setup.dir / "e.svg")
        assert (setup.dir / "e.svg").stat().st_size < 20000, values
    # A file of --losses is a run, too; NaN interrupts its curve.
    losses = setup.dir / "old.jsonl"
    losses.write_text("".join(f'{{"step":{i},"loss":{"NaN" if i == 7 else 1 / i}}}\n'.replace(":NaN", ':"NaN"') for i in range(1, 20)))
    setup.run(trainer, "plot", losses, "-o", setup.dir / "c.svg").expect(0)
    lengths = sorted(len(element.get("points").split()) for element in ElementTree.parse(setup.dir / "c.svg").getroot().iter(f"{SVG}polyline"))
    assert lengths == [6, 12], lengths


def plots_that_cannot_be_made_are_refused_by_name(setup):
    trainer, run = train_plateau(setup, "--no-curves", "--summary-steps", 0, steps=10, run="bare")
    shutil.rmtree(run / "eval")
    out = setup.dir / "a.svg"
    setup.run(trainer, "plot", run, "-o", out).expect(1, "has no event files with curves", "--no-curves")
    setup.run(trainer, "plot", setup.dir / "none", "-o", out).expect(1, "is neither a model directory nor a file")
    setup.run(trainer, "plot", PLATEAU / "train.meta", "-o", out).expect(1, "train.meta' was not written by --losses")
    setup.run(trainer, "plot", run).expect(2, "-o is missing")
    setup.run(trainer, "plot", run, "-o", "a.gif").expect(2, "expected FILE.svg, found 'a.gif'")
    setup.run(trainer, "plot", "-o", out).expect(2, "no run is given")
    setup.run(trainer, "report", run, run, "-o", setup.dir / "r.html").expect(2, "a report is about one run", "plot RUN RUN")
    setup.run(trainer, "report", PLATEAU / "train.meta", "-o", setup.dir / "r.html").expect(1, "a report is about a model directory")
    _, run = train_plateau(setup, steps=10)
    setup.run(trainer, "plot", run, "-o", out, "--metric", "f1").expect(2, "no such metric", "their metrics are: ", "val")
    setup.run(trainer, "plot", run, "-o", setup.dir / "no" / "a.svg").expect(1, "no/a.svg")
    assert not out.exists()


def reports_stand_alone_and_warn(setup):
    trainer, run = train_plateau(setup)
    page = setup.dir / "report.html"
    setup.run(trainer, "report", run, "-o", page).expect(0)
    text = page.read_text()
    assert text.startswith("<!doctype html>") and "<script" not in text
    assert not re.search(r"(src|href)\s*=|url\(|@import", text), "refers to something else"
    for words in ("model.ckpt-160", ">160<", "learning_rate", "1 trainable parameters", "train.meta, compiled by", "prefers-color-scheme"):
        assert words in text, words
    opened, closed = (re.findall(rf"<{end}(div|table|ul|h1|h2|p|pre|details|svg|text)\b", text) for end in ("", "/"))
    assert sorted(opened) == sorted(closed), "tags that are left open"
    for image in re.findall(r"<svg.*?</svg>", text, re.S):
        ElementTree.fromstring(image)
    assert "no evaluations" not in text and "overfits" not in text
    # Checkpoints that are lost.
    for path in run.glob("model.ckpt-160.data*"):
        path.unlink()
    setup.run(trainer, "report", run, "-o", page).expect(0)
    assert re.search(r"<li>[^<]*model.ckpt-160", page.read_text()), "the damaged checkpoint is not named"
    # A loss of NaN, and steps that no checkpoint has.
    nan = setup.dir / "nan"
    setup.run(setup.trainer, "--model-dir", nan, "--data-dir", harness.REFERENCE, "--max-steps", 30, "--quiet").expect(0)
    for path in nan.glob("model.ckpt-30*"):
        path.unlink()
    (nan / "checkpoint").unlink()
    setup.run(setup.trainer, "report", nan, "-o", page).expect(0)
    assert "are in no checkpoint" in page.read_text() and "there are no evaluations" in page.read_text()


def luminance(colour):
    """The relative luminance of WCAG 2."""
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in (one / 255 for one in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def pages_are_legible_in_a_browser(setup):
    browser = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    if not browser:
        raise harness.Skip("no chromium or chrome on the path")
    trainer, run = train_plateau(setup)
    setup.run(trainer, "report", run, "-o", setup.dir / "page.html").expect(0)
    setup.run(trainer, "plot", run, "-o", setup.dir / "page.svg").expect(0)
    # The rules of the page: text and curves on both kinds of paper (WCAG 2: 4.5 for text, 3 for graphics).
    style = (setup.dir / "page.html").read_text()
    themes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{3,6})", part)) for part in style.split("prefers-color-scheme: dark")[:2]]
    colour = lambda text: tuple(int(c * (2 if len(text) == 4 else 1), 16) for c in re.findall(r"." if len(text) == 4 else "..", text[1:]))
    for theme in themes:
        paper = colour(theme["paper"])
        for name, value in theme.items():
            if name not in ("paper", "card", "line"):
                least = 4.5 if name in ("ink", "dim") else 3
                assert contrast(colour(value), paper) >= least, (name, value, theme["paper"])
    for name in ("page.html", "page.svg"):
        papers = []
        for theme, scheme in zip(themes, ("1", "0")):
            picture = setup.dir / f"{name}-{scheme}.png"
            setup.run(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=620,700",
                      f"--user-data-dir={setup.dir}/browser", f"--blink-settings=preferredColorScheme={scheme}",
                      f"--screenshot={picture}", f"file://{setup.dir}/{name}", timeout=120)  # fmt: skip
            assert picture.exists(), "the browser has made no picture"
            seen = collections.Counter(tuple(pixel[:3]) for row in pixels(picture.read_bytes()) for pixel in row)
            paper = seen.most_common(1)[0][0]
            assert paper == colour(theme["paper"]), (name, scheme, paper)
            papers.append(paper)
            # The first curve's colour, and more dark or light pixels of text than a curve has.
            assert seen[colour(theme["s0"])] > 100, (name, scheme)
            assert sum(count for pixel, count in seen.items() if contrast(pixel, paper) > 4.5) > 1500, (name, scheme)
        assert papers[0] != papers[1]


if __name__ == "__main__":
    harness.main(globals())
