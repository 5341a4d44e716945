"""Resource samples: CPU, memory and accelerators of each node, while a job runs and after."""
