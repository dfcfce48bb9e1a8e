"""Defects of a coating per square metre, computed by a made-up formula: `python examples/coating.py`.

`coating.toml` beside this file uses `defects` as its objective. Some recipes cannot be measured: those trials fail.
"""

import math
from typing import Any

_SPEED = {"acetone": 1.5, "butyl acetate": 1.0, "ethanol": 1.2, "xylene": 0.8}
_RUNS = {"acetone": 4.0, "butyl acetate": 0.0, "ethanol": 2.5, "xylene": 1.0}


def defects(recipe: dict[str, Any]) -> float:
    """Return the number of defects, or raise where the mixture sets before it can be spread."""
    curing = recipe["temperature"] / 20 * math.log(recipe["minutes"]) * _SPEED[recipe["thinner"]]
    if recipe["binder"] >= 50 and recipe["solvent"] <= 15 and recipe["temperature"] >= 60:
        raise RuntimeError(f"the mixture gelled at {recipe['temperature']} °C before it was spread")
    pale = 0.02 * (recipe["pigment"] - 25) ** 2
    brittle = 0.35 * max(0, recipe["filler"] - 10)
    cure = 0.25 * (curing - 14) ** 2
    runs = 0.5 * max(0, recipe["solvent"] - 25) + _RUNS[recipe["thinner"]]
    lumps = 3.0 if not recipe["wetting"] and recipe["pigment"] + recipe["filler"] > 30 else 0.0
    return 2.0 + pale + brittle + cure + runs + lumps


if __name__ == "__main__":
    example = {"binder": 40, "pigment": 20, "filler": 15, "solvent": 25, "thinner": "xylene"}
    example |= {"temperature": 80, "minutes": 45, "wetting": True}
    print(f"{defects(example):.2f} defects per square metre with {example}")
