"""Who sees what, in which order, on which side, for how much: drawn from a study and its seed."""
