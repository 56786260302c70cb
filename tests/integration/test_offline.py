"""Nothing calls out: the runtime's telemetry leaves neither an identifier nor a look-up of a host name."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

RUN = """
import sys
if sys.argv[2] == "switched off":
    import appliance
import onnxruntime
onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"]).run(None, {"x": [1.0]})
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", value[:1], value[1:])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, tmp_path / "neg.onnx")
    return tmp_path / "neg.onnx"


def run(model: Path, home: Path, switch: str, *wrapper: str) -> None:
    home.mkdir()
    kept = {"PATH": os.environ["PATH"], "HOME": str(home)}  # without CI=1, under which it keeps silent anyway
    command = [*wrapper, sys.executable, "-c", RUN, str(model), switch]
    subprocess.run(command, env=kept, check=True, capture_output=True, timeout=120)


def test_the_runtime_leaves_no_identifier_on_the_disk(model: Path, tmp_path: Path):
    run(model, tmp_path / "quiet", "switched off")
    assert not list((tmp_path / "quiet").rglob("*"))


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_the_runtime_connects_to_nothing(model: Path, tmp_path: Path):
    log = tmp_path / "connects"
    run(
        model,
        tmp_path / "traced",
        "switched off",
        "strace",
        "-f",
        "-qq",
        "-e",
        "trace=connect",
        "-o",
        str(log),
    )
    assert "AF_INET" not in log.read_text()
