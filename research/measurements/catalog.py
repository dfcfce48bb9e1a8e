"""The measurements by name: the module whose `main` runs each, what it measures, and how long that takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """A measurement with options of its own. Modules are loaded only when they are run."""

    module: str
    what: str
    takes: str


MEASUREMENTS = {
    "ask-times": Measurement("research.measurements.ask_times", "milliseconds per ask, by task", "10 min"),
    "batches": Measurement("research.measurements.batches", "what several trials at once cost in trials", "5 min"),
    "calibration": Measurement(
        "research.measurements.calibration", "what is stated of untried points against what they are", "3 min"
    ),
    "dense-pgrad": Measurement(
        "research.measurements.dense_pgrad", "training over the whole tensor against ours", "1 min"
    ),
    "descriptors": Measurement("research.measurements.descriptors", "what numbers that describe labels save", "3 min"),
    "engines": Measurement("research.engines.__main__", "rules beyond one diagram, by family", "20 min"),
    "faults": Measurement(
        "research.measurements.faults", "workers killed at random: nothing lost, nothing twice", "15 min"
    ),
    "fuzz": Measurement("research.fuzz.__main__", "hostile text for everything that reads text", "1 min"),
    "gaps": Measurement("research.measurements.gaps", "how far two versions are from the optimum, in pairs", "5 s"),
    "house": Measurement(
        "research.measurements.house.__main__", "sizes, start-up costs and files passed through, by checkout", "1 min"
    ),
    "hsdp-solvers": Measurement(
        "research.measurements.hsdp_solvers", "solvers for the semidefinite relaxation", "10 min"
    ),
    "known": Measurement(
        "research.measurements.known", "trials to the optimum where the kernel's parameters are known", "10 min"
    ),
    "memory": Measurement("research.measurements.memory", "tensors that are built, and ours that are not", "1 min"),
    "orders": Measurement("research.measurements.orders", "orders of items: gaps to the best known order", "30 min"),
    "outcomes": Measurement(
        "research.outcomes.__main__", "several objectives, limits, noise, failures, and when to stop", "5 h"
    ),
    "mixed": Measurement("research.mixed.__main__", "design problems with reals: trials to the best design", "1 h"),
    "overhead": Measurement("research.measurements.overhead", "milliseconds per trial of `hedgerow run`", "2 min"),
    "paper": Measurement("research.measurements.paper_page", "the tables of docs/paper.md, from stored rows", "5 s"),
    "product-lines": Measurement(
        "research.engines.product_lines", "regret on a product line with pair interactions", "20 min"
    ),
    "replays": Measurement("research.replays.__main__", "tables and pages of the experiment replays", "10 s"),
    "rules": Measurement("research.measurements.rules", "compiling and counting rules, against Kernel Tuner", "2 min"),
    "same-suggestions": Measurement(
        "research.measurements.same_suggestions.__main__", "whether two versions suggest the same points", "4 min"
    ),
    "scale": Measurement("research.scale.__main__", "large spaces: cost of an ask, quality of the search", "1 h"),
    "service": Measurement(
        "research.measurements.service", "workers on the HTTP service: milliseconds of an ask, nothing lost", "1 min"
    ),
    "stopping": Measurement(
        "research.outcomes.stops", "runs on random tasks, from which rules for stopping are judged", "30 min"
    ),
    "transfer": Measurement("research.measurements.transfer", "what trials of a related problem are worth", "1 h"),
    "sensitivity": Measurement("research.sensitivity.__main__", "what the constants of the default are worth", "1 h"),
    "tuning": Measurement("research.tuning.__main__", "what a change of the default does to tuning tasks", "10 min"),
}
