"""From answers to judgments: one row for each thing a person said about a system, by column."""
