# SPDX-License-Identifier: Apache-2.0
"""Graphs in which the string handle of an iterator is fed (test/data/feedable)."""
import json
import shutil

import harness

DATA = harness.SOURCE / "test" / "data" / "feedable"
EXPECTED = json.loads((DATA / "expect.json").read_text())


def trains_as_expected(setup, graph, iterator, *flags):
    trainer, losses = setup.dir / f"trainer-{iterator}", setup.dir / f"{iterator}.losses"
    setup.compile(DATA / f"{graph}.meta", *flags, "-o", trainer).expect(0)
    expected = EXPECTED[graph.partition("_")[0]][iterator]
    setup.run(trainer, "--model-dir", setup.dir / f"run-{iterator}", "--max-steps", len(expected), "--losses", losses).expect(0)
    found = [row["loss"] for row in harness.read_losses(losses)]
    assert all(abs(a - b) <= 1e-6 * max(1, abs(b)) for a, b in zip(found, expected, strict=True)), (found, expected)
    return trainer


def the_only_iterator_with_a_handle_is_drawn_from(setup):
    for graph in ("one", "one_of_1.4"):
        trainer = trains_as_expected(setup, graph, "OneShotIterator")
        assert "handle" not in setup.run(trainer, "info").expect(0).out
        shutil.rmtree(setup.dir / "run-OneShotIterator")


def an_iterator_is_chosen_by_flag(setup):
    """Each of two, of which one ends; a run that goes on continues where its iterator was."""
    for iterator in EXPECTED["several"]:
        trainer = trains_as_expected(setup, "several", iterator, "--iterator", f"handle={iterator}")
    done = setup.run(trainer, "--model-dir", setup.dir / f"run-{iterator}", "--max-steps", 9).expect(0)
    assert "the input had already ended" in done.err, done.err


def what_is_not_chosen_is_named(setup):
    graph = DATA / "several.meta"
    done = setup.compile(graph, "-o", setup.dir / "none").expect(3)
    assert "choose one of 'OneShotIterator', 'IteratorV2' with --iterator handle=ITERATOR" in done.err, done.err
    for flag, text in (
        ("handle=loss", "'loss' (Mean) is not an iterator"),
        ("loss=IteratorV2", "--iterator: no IteratorFromStringHandle reads 'loss'"),
        ("handle=nothing", "--iterator: the graph has no node 'nothing'"),
        ("nothing=IteratorV2", "--iterator: the graph has no node 'nothing'"),
        ("IteratorV2", "--iterator IteratorV2 is not of the form NODE=ITERATOR"),
    ):
        done = setup.compile(graph, "--iterator", flag, "-o", setup.dir / "none").expect(2)
        assert text in done.err, (flag, done.err)


if __name__ == "__main__":
    harness.main({name: f for name, f in globals().items() if callable(f)})
