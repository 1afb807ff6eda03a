"""One archive of a study that another lab can run again."""
