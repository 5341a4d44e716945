"""How long things may take in a pod, where its manifest does not say otherwise."""

from __future__ import annotations

AWAIT_SECONDS = 300.0
"""For the kubelet to renew the Secret, which takes it a minute or two."""
TRY_SECONDS = 120.0
"""The platform or the package index may be away for so long before a step ends, to be started again."""
FLUSH_SECONDS = 30.0
"""From the end of everything in a pod to the end of its agent, where no files are stored."""
DRAIN_SHARE = 0.8
"""Of this, for logs and metrics."""
ARTIFACT_SECONDS = 1200.0
"""For the files of the output folder, as long as storing gets on: less than KubeRay's own deadline leaves."""
LAUNCHER_MARGIN_SECONDS = 5.0
"""After the grace, for the launcher to end what did not end by itself."""
