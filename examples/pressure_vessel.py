"""Design a pressure vessel within its rules: `python examples/pressure_vessel.py`.

The cost of a cylinder with round heads, ten sizes for each of four dimensions (in inches), and the code's rules.
"""

import hedgerow as hr
from hedgerow.problems import get_problem


def main() -> None:
    """Run the optimizer for 30 trials and compare with the known optimum."""
    problem = get_problem("pressure-vessel")
    assert problem.objective is not None
    result = hr.minimize(problem.objective, problem.space, rules=problem.rules, budget=30, seed=0)
    feasible = hr.FeasibleSet(problem.space, problem.rules)
    print(f"{feasible.count:,} of {problem.space.size:,} designs satisfy the rules.")
    print(f"Best of {len(result.observations)} trials: {result.best_value:,.2f} (known optimum {problem.optimum:,.2f})")
    for name, value in (result.best_point or {}).items():
        print(f"  {name:12s} {value:10.4f}")
    first_hit = next(i for i, value in enumerate(result.best_so_far(), start=1) if value == result.best_value)
    print(f"It was found in trial {first_hit}; no trial broke a rule.")


if __name__ == "__main__":
    main()
