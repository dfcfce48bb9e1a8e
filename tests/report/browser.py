"""A real browser without a window: what a page looks like from inside, after its scripts have run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_FOUND = re.compile(r'data-probe="([^"]*)"')


def find_browser() -> str:
    """Return the browser, or skip the test where there is none."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(_NAMES)} is installed")
    return found


def opened(page: Path, *, width: int = 1280, is_dark: bool = False) -> str:
    """Return the document as it stands after the page was opened."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            find_browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            f"--user-data-dir={profile}",
            f"--window-size={width},1000",
            f"--blink-settings=preferredColorScheme={0 if is_dark else 1}",
            "--virtual-time-budget=3000",
            "--dump-dom",
            page.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, encoding="utf-8")
    assert "<html" in done.stdout, done.stderr[-2000:]
    return done.stdout


def probed(page: Path, script: str, *, width: int = 1280, is_dark: bool = False) -> Any:
    """Return what a script sees in a page of this width: the value of its expression.

    The page's own policy is taken out for it, and the page is put into a frame: windows have a least width.
    """
    text = page.read_text(encoding="utf-8")
    open_page = _POLICY.sub("", text)
    assert open_page != text
    place = "window.parent.document.documentElement.dataset.probe"
    probe = f"<script>{place} = JSON.stringify((function () {{ {script} }})());</script>"
    # After everything that belongs to the page.
    whole = open_page.replace("</body></html>", f"{probe}</body></html>")
    frame = f'<iframe srcdoc="{escape(whole)}" style="width:{width}px;height:1000px;border:0"></iframe>'
    copy = page.with_name("probe.html")
    copy.write_text(
        f'<!DOCTYPE html><html style="color-scheme:light dark"><meta charset="utf-8">{frame}</html>', encoding="utf-8"
    )
    found = _FOUND.search(opened(copy, width=max(width, 600), is_dark=is_dark))
    assert found, "the probe did not run"
    return json.loads(unescape(found.group(1)))
