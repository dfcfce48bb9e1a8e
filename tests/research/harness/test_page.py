"""Pages: what is data stays data."""

from pathlib import Path

from research.harness.page import Heading, Page, PageTable, Paragraph, Picture, to_html, to_markdown


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
