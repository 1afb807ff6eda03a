"""Run independent chunks of work in this process, on several processes, or on a cluster."""
