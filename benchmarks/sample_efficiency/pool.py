"""Jobs on all cores. What is finished is kept, whatever happens to the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from benchmarks.sample_efficiency.runs import Job, Run, run_once

Keep = Callable[[Run], object]


def run_all(jobs: Sequence[Job], n_workers: int, keep: Keep, run: Callable[[Job], Run] = run_once) -> list[str]:
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
                job = futures[future]
                try:
                    keep(future.result())
                except BrokenProcessPool:
                    end = "A worker process died, perhaps for want of memory"
                    break
                except Exception as error:
                    troubles.append(f"{job.task}, {job.method}, seed {job.seed}: {type(error).__name__}: {error}")
                n_finished += 1
        except KeyboardInterrupt:
            end = "Interrupted"
            pool.shutdown(wait=False, cancel_futures=True)
    if end:
        troubles.append(
            f"{end}: {len(jobs) - n_finished:,} of {len(jobs):,} runs were not finished. "
            "The finished ones are kept; start the benchmark again to go on."
        )
    return troubles
