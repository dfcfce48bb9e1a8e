"""What is said when measured data is missing or malformed."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import hedgerow as hr
from research.problems import get_problem

FIRST_FILES = {
    "nas-tss": ("nats/tss_cifar10.csv", "architecture"),
    "nas-sss": ("nats/sss_cifar10.csv", "channels"),
    "tf-bind": ("tfbind8/six6_ref_r1_x.npy", "A, C, G, T"),
    "convolution_milo": ("kernel_tuner/convolution_milo.json", "T1 format"),
    "hotspot_milo": ("kernel_tuner/hotspot_milo.json", "T1 format"),
    "hipacc": ("feature_models/hipacc/FeatureModel.xml", "feature model"),
    "hsqldb": ("feature_models/hsqldb/FeatureModel.xml", "feature model"),
}


@pytest.mark.parametrize("name", FIRST_FILES)
def test_no_folder_says_which_file_and_how_to_point_at_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)
    with pytest.raises(hr.HedgerowError) as caught:
        get_problem(name)
    for part in (*FIRST_FILES[name], "HEDGEROW_DATA", "--data-dir"):
        assert part in str(caught.value)


@pytest.mark.parametrize("name", FIRST_FILES)
def test_missing_file_says_its_path_and_content(name: str, tmp_path: Path) -> None:
    with pytest.raises(hr.HedgerowError) as caught:
        get_problem(name, tmp_path)
    file, content = FIRST_FILES[name]
    for part in (str(tmp_path / file), content, "HEDGEROW_DATA", "--data-dir"):
        assert part in str(caught.value)


def test_folder_comes_from_the_variable(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDGEROW_DATA", str(data_dir))
    assert get_problem("hotspot_milo").n_feasible == 82_984


def test_argument_wins_over_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDGEROW_DATA", "/elsewhere")
    with pytest.raises(hr.HedgerowError, match=tmp_path.name):
        get_problem("nas-sss", tmp_path)


def _write(folder: Path, relative: str, content: str) -> Path:
    path = folder / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("sizes,accuracy\n8:8:8:8:8,79\n", "should name the columns channels and cifar10_test_accuracy"),
        ("", "but it names nothing"),
        ("channels,cifar10_test_accuracy\n8:8:8:8:8,high\n", "line 2, but there is 'high'"),
        ("channels,cifar10_test_accuracy\n8:8:8:8:8\n", "line 2, but there is None"),
        ("channels,cifar10_test_accuracy\n8:8:8:8:8,79\n", "each of the 32,768 architectures, but it has 1"),
    ],
)
def test_malformed_table(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(hr.HedgerowError, match=message):
        get_problem("nas-sss", _write(tmp_path, "nats/sss_cifar10.csv", content))


def test_malformed_arrays(tmp_path: Path) -> None:
    folder = _write(tmp_path, "tfbind8/six6_ref_r1_x.npy", "not an array")
    with pytest.raises(hr.HedgerowError, match="cannot be read as a NumPy array"):
        get_problem("tf-bind", folder)
    np.save(folder / "tfbind8/six6_ref_r1_x.npy", np.zeros((3, 7)))
    np.save(folder / "tfbind8/six6_ref_r1_y.npy", np.zeros(3))
    with pytest.raises(hr.HedgerowError, match=r"shapes \(3, 7\)"):
        get_problem("tf-bind", folder)


def test_malformed_times(tmp_path: Path) -> None:
    space = '{"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Values": "[1, 2]"}]}}'
    folder = _write(tmp_path, "kernel_tuner/convolution_milo.json", space)
    path = folder / "kernel_tuner" / "convolution_milo_A100_T4.json.gz"
    for content in (b"plain", gzip.compress(b"[]"), gzip.compress(b'{"results": [{}]}'), gzip.compress(b"{")):
        path.write_bytes(content)
        with pytest.raises(hr.HedgerowError, match="cannot be read as run times"):
            get_problem("convolution_milo", folder)


@pytest.mark.parametrize(
    ("name", "file", "content", "message"),
    [
        ("hipacc", "measurements.xml", "<results>", "cannot be read as measured configurations: ParseError"),
        ("hipacc", "measurements.xml", "<results><row /></results>", "KeyError: 'Configuration'"),
        ("hipacc", "measurements.xml", "<results />", "but it holds none"),
        (
            "hsqldb",
            "measurements.csv",
            "root;performance\n1;2\n",
            "cannot be read as measured configurations: ValueError",
        ),
        (
            "hsqldb",
            "measurements.csv",
            "root;revision;performance\n1;2.4.1;fast\n",
            "could not convert string to float",
        ),
        ("hsqldb", "measurements.csv", "root;revision;performance\n1;1.0;2\n", "but it holds none"),
    ],
)
def test_malformed_configurations(name: str, file: str, content: str, message: str, tmp_path: Path) -> None:
    option = "<configurationOption><name>root</name><optional>True</optional></configurationOption>"
    folder = _write(
        tmp_path, f"feature_models/{name}/FeatureModel.xml", f"<vm><binaryOptions>{option}</binaryOptions></vm>"
    )
    _write(tmp_path, f"feature_models/{name}/{file}", content)
    with pytest.raises(hr.HedgerowError, match=message):
        get_problem(name, folder)
