"""rejudge designs, runs, analyses and reproduces human evaluations of NLP systems."""

__version__ = "0.1.0"
