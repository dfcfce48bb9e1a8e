"""Pages: what is data stays data."""

from pathlib import Path

from research.harness.page import Heading, Page, PageTable, Paragraph, Picture, to_html, to_markdown
from research.harness.report import write_report
from research.harness.spec import load_spec
from tests.research.harness.rows import row


def test_a_page_is_written_twice(tmp_path: Path) -> None:
    image = tmp_path / "images" / "a.png"
    image.parent.mkdir()
    image.write_bytes(b"\x89PNG")
    page = Page(
        "Runs <b>",
        [
            Heading("H"),
            Paragraph("one `a<b`\n\ntwo"),
            PageTable(("a", "b"), [["x|y", "<script>"]]),
            Picture(image, "C"),
        ],
    )
    markdown = to_markdown(page, tmp_path)
    assert "# Runs <b>" in markdown
    assert "| x/y | <script> |" in markdown
    assert "![C](images/a.png)" in markdown
    html = to_html(page)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<p>one <code>a&lt;b</code></p><p>two</p>" in html
    assert "data:image/png;base64,iVBORw==" in html


def test_a_page_says_which_runs_of_its_specification_are_missing(tmp_path: Path) -> None:
    experiment = load_spec("readings")
    jobs = [work.job for work in experiment.works()]
    made = [job for job in jobs if job.seed < 5 and (job.task, job.seed) != ("ackley-65", 4)]
    rows = [row(job.seed, task=job.task, cell=job.cell, budget=job.budget) for job in made]
    text = write_report(experiment, rows, tmp_path)[0].read_text(encoding="utf-8")
    assert f"{len(made):,} of {len(jobs):,} runs" in text
    assert "seed 4 of ackley-65 (16 runs); seeds 5, 6, 7, 8, 9 (240 runs)" in text
    complete = [row(job.seed, task=job.task, cell=job.cell, budget=job.budget) for job in jobs]
    assert "Left out" not in write_report(experiment, complete, tmp_path)[0].read_text(encoding="utf-8")
