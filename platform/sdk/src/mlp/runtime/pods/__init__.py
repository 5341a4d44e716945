"""The program inside a job's pods on Kubernetes: `python -I -m mlp.runtime.pods VERB`.

- `setup`, an init container of each pod: brings in the code and the environment of the attempt that the pod is for.
- `agent`, a sidecar of each pod: ships its logs, samples and, from the head, artifacts; tells the platform how the
  attempt's process stands.
- `drive`, the entrypoint that Ray runs on the head: starts the launcher, and holds its own exit until the agent has
  handed in what there is, because the pods go a second after it.
- `worker NAME`, in place of Python on a cluster that many works share: brings in what the work needs, once per node.
- `end`, before a Ray container is stopped: gives the attempt's processes notice and their grace.
- `stop`, run by the operator in the agent's container: asks an attempt to end.

The containers of a pod share a folder (`places`), which is laid out as an attempt's folder on the local engine is, and
a process namespace. Everything they tell each other is in files there, so that each may be killed and start anew.
Nothing here is imported by `import mlp`.
"""
