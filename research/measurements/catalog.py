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
    "dense-pgrad": Measurement(
        "research.measurements.dense_pgrad", "training over the whole tensor against ours", "1 min"
    ),
    "faults": Measurement(
        "research.measurements.faults", "workers killed at random: nothing lost, nothing twice", "15 min"
    ),
    "fuzz": Measurement("research.fuzz.__main__", "hostile text for everything that reads text", "1 min"),
    "house": Measurement(
        "research.measurements.house.__main__", "sizes, start-up costs and files passed through, by checkout", "1 min"
    ),
    "hsdp-solvers": Measurement(
        "research.measurements.hsdp_solvers", "solvers for the semidefinite relaxation", "10 min"
    ),
    "overhead": Measurement("research.measurements.overhead", "milliseconds per trial of `hedgerow run`", "2 min"),
    "penalty": Measurement(
        "research.measurements.penalty", "what the paper's penalty is worth inside the rules", "2 h"
    ),
    "replays": Measurement("research.replays.__main__", "measured data, method against method", "1 h"),
    "rules": Measurement("research.measurements.rules", "compiling and counting rules, against Kernel Tuner", "2 min"),
    "same-suggestions": Measurement(
        "research.measurements.same_suggestions.__main__", "whether two versions suggest the same points", "4 min"
    ),
    "scale": Measurement("research.scale.__main__", "spaces of 10^10 to 10^60 points", "10 h"),
}
