"""Nothing calls out: what libraries report home by default is switched off before any of them is loaded.

onnxruntime sends usage events from Linux, too, since 1.29; langgraph's tracing follows variables that a
user's shell may set; vLLM reports usage statistics; the Hugging Face libraries look for newer files.
"""

from __future__ import annotations

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
}


def stay_offline() -> None:
    """Set the switches for this process and those that it starts, whatever the environment says."""
    os.environ.update(SWITCHES)
