"""Model weights: what the manifest names, how it is fetched, checked and converted."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # the conversion runs onnxruntime, which reports home otherwise
