"""The figures of a study, in the order of a report."""
