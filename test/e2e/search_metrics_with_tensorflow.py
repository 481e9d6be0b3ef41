# SPDX-License-Identifier: Apache-2.0
"""Metrics of search files against those of tf.keras.metrics.

Runs where INGOT_TF_PYTHON (or python3) has TensorFlow.
"""
import json
import os
import shutil
import sys

import harness
from search_metrics import HEADS, metrics_of, predictions_of, train, write_rows

# For each metric of a search file, the class in tf.keras.metrics and its arguments; {n} is the number of classes.
NUMBERS = {
    "MEAN_ABSOLUTE_ERROR": ("MeanAbsoluteError", {}),
    "MEAN_SQUARED_ERROR": ("MeanSquaredError", {}),
    "ROOT_MEAN_SQUARED_ERROR": ("RootMeanSquaredError", {}),
    "MEAN_ABSOLUTE_PERCENTAGE_ERROR": ("MeanAbsolutePercentageError", {}),
    "MEAN_SQUARED_LOGARITHMIC_ERROR": ("MeanSquaredLogarithmicError", {}),
    "LOG_COSH_ERROR": ("LogCoshError", {}),
    "COSINE_SIMILARITY": ("CosineSimilarity", {}),
    "R2_SCORE": ("R2Score", {}),
    "PERCENTAGE_BELOW threshold: 0.4": ("v1.percentage_below", {"threshold": 0.4}),
}
CURVES = {
    "PRECISION": ("Precision", {}),
    "PRECISION threshold: 0.3": ("Precision", {"thresholds": 0.3}),
    "RECALL threshold: 0.6": ("Recall", {"thresholds": 0.6}),
    "TRUE_POSITIVES": ("TruePositives", {}),
    "TRUE_NEGATIVES": ("TrueNegatives", {}),
    "FALSE_POSITIVES threshold: 0.4": ("FalsePositives", {"thresholds": 0.4}),
    "FALSE_NEGATIVES": ("FalseNegatives", {}),
    "AUC": ("AUC", {}),
    "AUC curve: PR": ("AUC", {"curve": "PR"}),
    "AUC curve: PR summation: MINORING": ("AUC", {"curve": "PR", "summation_method": "minoring"}),
    "AUC summation: MAJORING num_thresholds: 20": ("AUC", {"summation_method": "majoring", "num_thresholds": 20}),
    "SENSITIVITY_AT_SPECIFICITY at: 0.6": ("SensitivityAtSpecificity", {"specificity": 0.6}),
    "SPECIFICITY_AT_SENSITIVITY at: 0.6": ("SpecificityAtSensitivity", {"sensitivity": 0.6}),
    "PRECISION_AT_RECALL at: 0.5": ("PrecisionAtRecall", {"recall": 0.5}),
    "RECALL_AT_PRECISION at: 0.6": ("RecallAtPrecision", {"precision": 0.6}),
    "POISSON": ("Poisson", {}),
    "SQUARED_HINGE": ("SquaredHinge", {}),
    "HINGE": ("Hinge", {}),
    "KL_DIVERGENCE": ("KLDivergence", {}),
}
OWN = {
    "regression": {},
    "binary": {
        "ACCURACY threshold: 0.4": ("BinaryAccuracy", {"threshold": 0.4}),
        "CROSS_ENTROPY": ("BinaryCrossentropy", {}),
        "CROSS_ENTROPY label_smoothing: 0.1": ("BinaryCrossentropy", {"label_smoothing": 0.1}),
        "F_BETA_SCORE beta: 2 threshold: 0.4": ("FBetaScore", {"weights": "flat", "beta": 2.0, "threshold": 0.4, "average": "macro"}),
        "MEAN_IO_U threshold: 0.4": ("BinaryIoU", {"target_class_ids": [0, 1], "threshold": 0.4, "weights": "element"}),
        "IO_U class_id: 1": ("BinaryIoU", {"target_class_ids": [1], "weights": "element"}),
    },
    "multi_label": {
        "ACCURACY": ("BinaryAccuracy", {}),
        "CROSS_ENTROPY": ("BinaryCrossentropy", {}),
        "F_BETA_SCORE threshold: 0.4": ("F1Score", {"weights": "flat", "threshold": 0.4, "average": "macro"}),
        "F_BETA_SCORE threshold: 0.4 average: MICRO": ("F1Score", {"weights": "flat", "threshold": 0.4, "average": "micro"}),
        "AUC multi_label: true": ("AUC", {"multi_label": True}),
        "AUC multi_label: true curve: PR": ("AUC", {"multi_label": True, "curve": "PR"}),
        "PRECISION class_id: 1": ("Precision", {"class_id": 1}),
        "PRECISION_AT_RECALL at: 0.3 class_id: 2": ("PrecisionAtRecall", {"recall": 0.3, "class_id": 2}),
    },
    "multi_class": {
        "ACCURACY": ("CategoricalAccuracy", {}),
        "CROSS_ENTROPY": ("CategoricalCrossentropy", {}),
        "CROSS_ENTROPY label_smoothing: 0.2": ("CategoricalCrossentropy", {"label_smoothing": 0.2}),
        "TOP_K_ACCURACY top_k: 2": ("TopKCategoricalAccuracy", {"k": 2}),
        "PRECISION top_k: 2": ("Precision", {"top_k": 2}),
        "RECALL top_k: 1 class_id: 3": ("Recall", {"top_k": 1, "class_id": 3}),
        "RECALL top_k: 3 threshold: 0.25": ("Recall", {"top_k": 3, "thresholds": 0.25}),
        "F_BETA_SCORE beta: 0.5": ("FBetaScore", {"weights": "flat", "beta": 0.5, "average": "macro"}),
        "F_BETA_SCORE average: WEIGHTED": ("F1Score", {"weights": "flat", "average": "weighted"}),
        "F_BETA_SCORE average: MICRO": ("F1Score", {"weights": "flat", "average": "micro"}),
        "MEAN_IO_U": ("OneHotMeanIoU", {"num_classes": 4, "weights": "flat"}),
        "IO_U class_id: 2": ("OneHotIoU", {"num_classes": 4, "target_class_ids": [2], "weights": "flat"}),
        "MEAN_PER_CLASS_ACCURACY": ("v1.mean_per_class_accuracy", {"num_classes": 4}),
        "CATEGORICAL_HINGE": ("CategoricalHinge", {}),
    },
}  # fmt: skip


def ask(setup, given):
    python = os.environ.get("INGOT_TF_PYTHON", sys.executable)
    if setup.run(python, "-c", "import tensorflow.compat.v1").code:
        raise harness.Skip(f"{python} has no TensorFlow; set INGOT_TF_PYTHON to one that has")
    script = harness.SOURCE / "test" / "e2e" / "keras_metrics.py"
    done = setup.run(python, script, input=json.dumps(given).encode(),
                     env=dict(os.environ, CUDA_VISIBLE_DEVICES="", TF_USE_LEGACY_KERAS="1"))  # fmt: skip
    return json.loads(done.expect(0).out.splitlines()[-1])


def metrics_of_searches_are_keras(setup):
    """AN-013: those of each kind of head, with weights of examples and, of one, without; over other batches."""
    rows = write_rows(setup.dir)
    cases = []
    for head, weighted in [(head, True) for head in HEADS] + [("binary", False)]:
        _, columns, key = HEADS[head]
        wanted = {**NUMBERS, **(CURVES if head != "regression" else {}), **OWN[head]}
        names = {f"m{i}": metric for i, metric in enumerate(wanted)}
        text = "".join(f'metric {{ name: "{name}" kind: {metric} }}\n' for name, metric in names.items())
        folder = train(setup, head, text, weighted)
        labels = [[float(row[column]) for column in columns] for row in rows]
        if head == "multi_class":
            labels = [[float(i == row[0]) for i in range(4)] for row in labels]
        given = {
            "labels": labels, "predictions": [row[key] for row in predictions_of(setup, folder)], "batch": 50,
            "weights": [row["w"] for row in rows] if weighted else None,
            "metrics": {name: wanted[metric] for name, metric in names.items()},
        }  # fmt: skip
        cases.append((head, weighted, names, metrics_of(setup, folder), given))
        shutil.rmtree(folder)
    for (head, weighted, names, found, _), expected in zip(cases, ask(setup, [case[-1] for case in cases])):
        wrong = [
            (names[name], found[name], value)
            for name, value in expected.items()
            if not abs(float(found[name]) - value) <= 2e-5 * max(1, abs(value))
        ]
        assert not wrong, (head, weighted, wrong)
        values = [expected[name] for name in names]
        assert len({round(value, 4) for value in values}) > len(values) / 2, "metrics that say something"


if __name__ == "__main__":
    harness.main(globals())
