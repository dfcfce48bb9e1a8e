"""Tune a made-up network inside a memory limit: no trial is spent on what does not fit."""

import optuna
import optunahub

module = optunahub.load_module("samplers/hedgerow")

space = {
    "layers": optuna.distributions.IntDistribution(1, 8),
    "width": optuna.distributions.CategoricalDistribution([32, 64, 128, 256, 512]),
    "batch": optuna.distributions.IntDistribution(16, 256, step=16),
    "optimizer": optuna.distributions.CategoricalDistribution(["sgd", "adam", "lamb"]),
}
rules = {
    "memory": "layers * width * batch <= 120000",
    "lamb": "optimizer != 'lamb' or batch >= 128",
}


def objective(trial: optuna.Trial) -> float:
    """Stand in for a training run."""
    layers = trial.suggest_int("layers", 1, 8)
    width = trial.suggest_categorical("width", [32, 64, 128, 256, 512])
    batch = trial.suggest_int("batch", 16, 256, step=16)
    optimizer = trial.suggest_categorical("optimizer", ["sgd", "adam", "lamb"])
    assert layers * width * batch <= 120_000  # never asked for otherwise
    capacity = abs(layers * width - 640) / 640
    return capacity + abs(batch - 144) / 300 + {"sgd": 0.3, "adam": 0.1, "lamb": 0.0}[optimizer]


if __name__ == "__main__":
    sampler = module.HedgerowSampler(space, rules=rules, seed=0)
    print(f"{sampler.feasible.count:,} of {sampler.space.size:,} combinations satisfy the rules")
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=30)
    print(study.best_value, study.best_params)
