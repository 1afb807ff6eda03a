"""Files on disk: never half-written, never silently stale."""
