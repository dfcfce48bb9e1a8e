"""Jobs on all cores. What is finished is handed over at once and so survives whatever happens to the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")


def run_all(
    jobs: Sequence[J],
    n_workers: int,
    keep: Callable[[R], object],
    run: Callable[[J], R],
    describe: Callable[[J], str] = str,
) -> list[str]:
    """Run jobs in processes and hand over each result as it comes; return what went wrong, a sentence each."""
    # One thread per run: the cores are for seeds. NumPy reads this when it is loaded, so workers start afresh.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    troubles: list[str] = []
    n_finished = 0
    end = ""
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(run, job): job for job in jobs}
        try:
            for future in as_completed(futures):
                try:
                    keep(future.result())
                except BrokenProcessPool:
                    end = "A worker process died, perhaps for want of memory"
                    break
                except Exception as error:
                    troubles.append(f"{describe(futures[future])}: {type(error).__name__}: {error}")
                n_finished += 1
        except KeyboardInterrupt:
            end = "Interrupted"
            pool.shutdown(wait=False, cancel_futures=True)
    if end:
        troubles.append(
            f"{end}: {len(jobs) - n_finished:,} of {len(jobs):,} runs were not finished. "
            "The finished ones are kept; start the same command again to go on."
        )
    return troubles
